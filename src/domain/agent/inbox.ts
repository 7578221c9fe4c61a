import { bounded } from '../text/bounded.ts'
import { withoutNul } from '../text/nul.ts'

/** A message from an agent inside its run, one file each in its task's inbox. Evidence, never a state change. */
export type InboxItem =
  /** The agent claims that it is done; the supervisor judges the claim. */
  | { readonly kind: 'done'; readonly summary: string }
  | {
      readonly kind: 'ask'
      readonly text: string
      readonly options: readonly string[]
      readonly suggestion?: string
    }
  | { readonly kind: 'note'; readonly text: string }
  /** A command of fleet that the agent cannot run in its sandbox. `input`: its stdin. */
  | { readonly kind: 'call'; readonly argv: readonly string[]; readonly input?: string }
  /** A hook has handed messages to the agent: before this tool, or without one at the end of a turn. */
  | { readonly kind: 'delivered'; readonly messages: readonly number[]; readonly before?: string }
  /** A hook has refused this call: it leaves the bounds of the task. */
  | { readonly kind: 'refused'; readonly tool: string; readonly what: string; readonly why: string }

/** A letter that says how the run stands. The others are only noted. */
export type Word = Extract<InboxItem, { kind: 'done' | 'ask' }>

export function isWord(item: InboxItem): item is Word {
  return item.kind === 'done' || item.kind === 'ask'
}

/** The content of one file. */
export interface Letter {
  readonly v: 1
  /** The run that wrote it; letters of other runs are not read. */
  readonly run: string
  readonly at: number
  readonly item: InboxItem
}

/** A letter and its file. */
export interface NamedLetter extends Letter {
  readonly name: string
  readonly text: string
}

/** A letter in the inbox of a run that did not write it. */
export interface ForgedLetter {
  /** The run that it names: another one, or the one it was handed to, without its signature. */
  readonly from: string
  readonly kind: InboxItem['kind']
}

/** The most bytes of one letter. Longer text belongs in the artifacts. */
export const LETTER_LIMIT = 65_536
export const OPTIONS_LIMIT = 20
/** The most messages that one call of a hook hands over. */
export const MESSAGES_LIMIT = 20
const LONGEST_TOOL = 100
const LONGEST_CALL = 300
const WORDS_LIMIT = 200

/** Parses a letter, or says what is wrong with it. Anyone can write the file, so unknown fields are dropped. */
export function letterOf(text: string): Letter | { readonly problem: string } {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return { problem: 'is not JSON' }
  }
  const given = fieldsOf(value)
  if (given === undefined) return { problem: 'is not a JSON object' }
  if (given['v'] !== 1) return { problem: `has version ${JSON.stringify(given['v'])}, expected 1` }
  const { run, at } = given
  if (typeof run !== 'string' || run === '') return { problem: 'names no run' }
  if (typeof at !== 'number' || !Number.isFinite(at)) return { problem: 'has no time' }
  const item = itemOf(fieldsOf(given['item']) ?? {})
  return typeof item === 'string' ? { problem: item } : { v: 1, run, at, item }
}

function itemOf(given: Readonly<Record<string, unknown>>): InboxItem | string {
  switch (given['kind']) {
    case 'call': {
      const { argv, input } = given
      if (!Array.isArray(argv) || argv.length > WORDS_LIMIT || !argv.every((word) => typeof word === 'string'))
        return `has no command of up to ${WORDS_LIMIT} words`
      return { kind: 'call', argv: argv.map(withoutNul), ...(typeof input === 'string' && { input }) }
    }
    case 'done': {
      const summary = given['summary']
      return typeof summary === 'string' ? { kind: 'done', summary: withoutNul(summary) } : 'has no summary'
    }
    case 'note': {
      const text = textOf(given['text'])
      return text === undefined ? 'has no text' : { kind: 'note', text }
    }
    case 'ask': {
      const text = textOf(given['text'])
      const options = given['options']
      const suggestion = textOf(given['suggestion'])
      if (text === undefined) return 'has no text'
      if (!Array.isArray(options) || options.length > OPTIONS_LIMIT || !options.every((each) => textOf(each) === each))
        return `has options that are not up to ${OPTIONS_LIMIT} texts`
      return { kind: 'ask', text, options, ...(suggestion === undefined ? {} : { suggestion }) }
    }
    case 'delivered': {
      const messages = given['messages']
      const before = textOf(given['before'])
      if (!Array.isArray(messages) || messages.length > MESSAGES_LIMIT || !messages.every(Number.isSafeInteger))
        return `has messages that are not up to ${MESSAGES_LIMIT} numbers`
      return { kind: 'delivered', messages, ...(before === undefined ? {} : { before: bounded(before, LONGEST_TOOL) }) }
    }
    case 'refused': {
      const [tool, what, why] = [textOf(given['tool']), textOf(given['what']), textOf(given['why'])]
      if (tool === undefined || what === undefined || why === undefined) return 'has no tool, no words or no reason'
      return {
        kind: 'refused',
        tool: bounded(tool, LONGEST_TOOL),
        what: bounded(what, LONGEST_CALL),
        why: bounded(why, LONGEST_CALL),
      }
    }
    default:
      return `has an unknown kind: ${JSON.stringify(given['kind'])?.slice(0, 40)}`
  }
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? withoutNul(value) : undefined
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, unknown>>)
    : undefined
}
