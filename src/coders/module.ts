import { bounded } from '../domain/bounded.ts'
import { AppError } from '../errors.ts'
import type { Coder, CoderTraits, Launch } from '../ports/coder.ts'
import { checkedEvent } from './checked-event.ts'
import { checkedVerdict } from './checked-trouble.ts'
import { fields, string } from './fields.ts'
import { isProgram } from './template.ts'

/** Where a coder of the user's own comes from. */
export interface ModuleSource {
  /** What it must be called: the file's name without its ending. */
  readonly name: string
  readonly file: string
}

/**
 * What a file of the user's exports, as a coder. It is checked here, member by member, and what it makes is checked each
 * time: a mistake in it costs its own events or its own attempt, never a run of somebody else.
 */
export function coderOfModule(exported: unknown, source: ModuleSource): Coder {
  const made = fields(exported)
  if (made === undefined) throw wrong(source, 'has no default export that is a coder')
  for (const { member, fits, expected } of MEMBERS) {
    const value = member.split('.').reduce<unknown>((from, key) => fields(from)?.[key], made)
    if (!fits(value, source))
      throw wrong(source, `${value === undefined ? 'has no' : 'has a wrong'} ${member}`, expected)
  }
  const coder = exported as Coder
  const { windowOf, payers } = coder
  return {
    ...(isFunction(windowOf) ? { windowOf: (model: string) => windowFrom(coder, model) } : {}),
    ...(fields(payers) === undefined ? {} : { payers: texts(payers) }),
    name: source.name,
    binary: coder.binary,
    traits: { ...coder.traits },
    launch: (order) => checkedLaunch(coder.launch(order), source),
    parse: (line) => eventsOf(coder, line, source),
    verdict: (...seen) => verdictOf(coder, seen, source),
  }
}

interface Member {
  readonly member: string
  readonly expected: string
  fits(value: unknown, source: ModuleSource): boolean
}

const isFunction = (value: unknown): boolean => typeof value === 'function'

const TRAITS: Readonly<Record<keyof CoderTraits, readonly [expected: string, fits: (value: unknown) => boolean]>> = {
  claim: ['explicit or exit', (value) => value === 'explicit' || value === 'exit'],
  evidence: ['work or exit', (value) => value === 'work' || value === 'exit'],
  resume: ['true or false', (value) => typeof value === 'boolean'],
  stream: ['json or text', (value) => value === 'json' || value === 'text'],
  contextWindow: [
    'a number of tokens, or nothing',
    (value) => value === undefined || (typeof value === 'number' && value > 0),
  ],
  defaultModel: ['the name of a model, or nothing', (value) => value === undefined || string(value) !== undefined],
}

const MEMBERS: readonly Member[] = [
  { member: 'name', expected: 'the name of its file', fits: (value, { name }) => value === name },
  {
    member: 'binary',
    expected: 'a program on PATH or an absolute path',
    fits: (value) => isProgram(string(value) ?? './'),
  },
  { member: 'traits', expected: 'an object', fits: (value) => fields(value) !== undefined },
  ...Object.entries(TRAITS).map(([name, [expected, fits]]) => ({ member: `traits.${name}`, expected, fits })),
  { member: 'launch', expected: 'a function of an order', fits: isFunction },
  { member: 'parse', expected: 'a function of a line', fits: isFunction },
  { member: 'verdict', expected: 'a function of exit, digest and stderr', fits: isFunction },
]

function wrong({ file, name }: ModuleSource, what: string, expected?: string): AppError {
  const words = expected === undefined ? what : `${what}, expected ${expected}`
  return new AppError('config', `${file} ${words}`, { hint: `put it right, or do without the coder ${name}` })
}

const RAW = 500
const EVENTS = 1000

function eventsOf(coder: Coder, line: string, { file }: ModuleSource): ReturnType<Coder['parse']> {
  const unknown = (why: string) => [{ type: 'unknown', raw: bounded(`${file}: ${why}: ${line}`, RAW) }] as const
  try {
    const made: unknown = coder.parse(line)
    if (!Array.isArray(made)) return unknown('parse gave no list')
    return made.slice(0, EVENTS).flatMap((each) => checkedEvent(each) ?? unknown('parse gave no event'))
  } catch (error) {
    return unknown(`parse failed (${messageOf(error)})`)
  }
}

function verdictOf(
  coder: Coder,
  seen: Parameters<Coder['verdict']>,
  { file }: ModuleSource,
): ReturnType<Coder['verdict']> {
  const error = (why: string) => ({ kind: 'failed', outcome: { code: 'error', text: `${file}: ${why}` } }) as const
  try {
    return checkedVerdict(coder.verdict(...seen)) ?? error('verdict gave none that fleet knows')
  } catch (thrown) {
    return error(`verdict failed (${messageOf(thrown)})`)
  }
}

function checkedLaunch(made: unknown, { file }: ModuleSource): Launch {
  const launch = fields(made)
  const { args, stdin, env, promptAs, files = {} } = launch ?? {}
  const refuse = (what: string): never => {
    throw new Error(`${file}: launch gave ${what}`)
  }
  if (!Array.isArray(args) || args.some((each) => typeof each !== 'string')) return refuse('no args, a list of words')
  if (stdin !== 'prompt' && stdin !== 'closed') return refuse('no stdin, prompt or closed')
  const variables = Object.entries(fields(env) ?? refuse('no env, an object'))
  if (variables.some(([, value]) => typeof value !== 'string')) return refuse('an env that is not all texts')
  const beside = Object.entries(fields(files) ?? refuse('files that are no object'))
  const strange = beside.find(([name, text]) => !isFree(name) || typeof text !== 'string')
  if (strange !== undefined) return refuse(`a file ${JSON.stringify(strange[0])} that cannot stand beside its prompt`)
  const form = typeof promptAs === 'function' ? { promptAs: promptAs as NonNullable<Launch['promptAs']> } : {}
  return { args: args as string[], stdin, env: texts(env), files: texts(files), ...form }
}

/** A plain name that fleet itself has no use for in the folder of an attempt. */
function isFree(name: string): boolean {
  return /^[a-z0-9][\w.-]*$/i.test(name) && !OWN.test(name)
}

const OWN = /^(?:(?:prompt|launch|receipt|stdout|stderr|exit)\..*|stdin|tmp|inbox)$/

/** Of an object those members that are texts. */
function texts(value: unknown): Record<string, string> {
  return Object.fromEntries(
    Object.entries(fields(value) ?? {}).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  )
}

function windowFrom(coder: Coder, model: string): number | undefined {
  try {
    const tokens: unknown = coder.windowOf?.(model)
    return typeof tokens === 'number' && tokens > 0 ? tokens : undefined
  } catch {
    return undefined
  }
}

function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown)
}
