import { type CoderEvent, USAGE_FIELDS, type Usage } from '../../domain/run/event.ts'
import { bounded } from '../../domain/text/bounded.ts'
import { ownEntry } from '../../domain/text/own-entry.ts'
import { count, type Fields, fields, known, string, strings, word } from '../shared/fields.ts'
import { sessionId } from '../shared/session-id.ts'
import { pathFacts } from '../shared/tool-facts.ts'
import { checkedTrouble } from './checked-trouble.ts'

/** An event from a user's module, rebuilt from its valid fields; undefined: not an event that fleet knows. */
export function checkedEvent(made: unknown): CoderEvent | undefined {
  const told = fields(made)
  const type = string(told?.['type'])
  return told === undefined || type === undefined ? undefined : ownEntry(READERS, type)?.(told)
}

const TEXT = 4000

type Readers = {
  readonly [K in CoderEvent['type']]: (told: Fields) => Extract<CoderEvent, { type: K }> | undefined
}

/** A new kind of event without a line here does not compile. */
const READERS: Readers = {
  session(told) {
    const id = sessionId(told['id'])
    const about = { model: word(told['model']), version: word(told['version']), payer: word(told['payer']) }
    const step = told['step'] === true ? { step: true as const } : {}
    return id === undefined ? undefined : { type: 'session', id, ...known(about), ...step }
  },
  text(told) {
    const text = textOf(told)
    return text === undefined ? undefined : { type: 'text', text, ...subagent(told) }
  },
  'tool-started'(told) {
    const id = word(told['id'])
    const name = word(told['name'])
    const kind = KINDS.find((each) => each === told['kind']) ?? 'other'
    if (id === undefined || name === undefined) return undefined
    const facts = { ...pathFacts(strings(told['paths'])), ...(told['toFleet'] === true && { toFleet: true as const }) }
    const command = string(told['command'])?.slice(0, 1 << 16)
    const about = known({
      detail: word(told['detail']),
      command,
      parent: word(told['parent']),
      print: word(told['print']),
    })
    return { type: 'tool-started', id, name, kind, ...about, ...facts, ...subagent(told) }
  },
  'tool-ended'(told) {
    const id = word(told['id'])
    const failed = told['failed'] === true
    return id === undefined
      ? undefined
      : { type: 'tool-ended', id, failed, ...known({ text: textOf(told), print: word(told['print']) }) }
  },
  usage(told) {
    const message = word(told['message'])
    const usage = usageOf(told['usage'])
    if (message === undefined || usage === undefined) return undefined
    const aside = told['aside'] === true ? { aside: true as const } : {}
    return { type: 'usage', message, usage, ...known({ model: word(told['model']) }), ...subagent(told), ...aside }
  },
  total(told) {
    const usage = usageOf(told['usage'])
    const covers = COVERS.find((each) => each === (told['covers'] ?? 'run'))
    const costCovers = told['costCovers'] === 'session' ? ('session' as const) : undefined
    const about = known({ costUsd: count(told['costUsd']), costCovers, model: word(told['model']) })
    return usage === undefined || covers === undefined ? undefined : { type: 'total', covers, usage, ...about }
  },
  window(told) {
    const tokens = count(told['tokens'])
    return !tokens ? undefined : { type: 'window', tokens, ...known({ model: word(told['model']) }) }
  },
  limit(told) {
    const status = STANDINGS.find((each) => each === told['status'])
    const { name, resetsAt, usedPct } = told
    const about = known({ name: word(name), resetsAt: count(resetsAt), usedPct: count(usedPct) })
    return status === undefined ? undefined : { type: 'limit', status, ...about }
  },
  retrying(told) {
    const why = checkedTrouble(told['why'])
    const attempt = count(told['attempt']) ?? 0
    return why === undefined
      ? undefined
      : { type: 'retrying', why, attempt, ...known({ delayMs: count(told['delayMs']) }) }
  },
  background(told) {
    const pending = count(told['pending'])
    return pending === undefined ? undefined : { type: 'background', pending }
  },
  subagent(told) {
    const call = word(told['call'])
    const toolCalls = count(told['toolCalls'])
    return call === undefined || toolCalls === undefined ? undefined : { type: 'subagent', call, toolCalls }
  },
  denied(told) {
    const tool = word(told['tool'])
    return tool === undefined
      ? undefined
      : { type: 'denied', tool, ...known({ id: word(told['id']), text: textOf(told) }) }
  },
  trouble(told) {
    const trouble = checkedTrouble(told['trouble'])
    return trouble === undefined ? undefined : { type: 'trouble', trouble }
  },
  compacted: () => ({ type: 'compacted' }),
  result(told) {
    const trouble = told['ok'] === true ? undefined : checkedTrouble(told['trouble'])
    return { type: 'result', ok: told['ok'] === true, ...known({ text: textOf(told), trouble }) }
  },
  notice(told) {
    const name = word(told['name'])
    return name === undefined ? undefined : { type: 'notice', name, ...known({ text: textOf(told) }) }
  },
  unknown: (told) => ({ type: 'unknown', raw: bounded(string(told['raw']) ?? '', 500) }),
}

const KINDS = ['shell', 'edit', 'read', 'mcp', 'agent', 'other'] as const
const COVERS = ['run', 'since-last', 'session', 'earlier'] as const
const STANDINGS = ['allowed', 'warning', 'rejected'] as const

function textOf(told: Fields): string | undefined {
  const text = string(told['text'])
  return text === undefined ? undefined : bounded(text, TEXT)
}

function subagent(told: Fields): { subagent?: true } {
  return told['subagent'] === true ? { subagent: true } : {}
}

function usageOf(made: unknown): Usage | undefined {
  const told = fields(made)
  return told && known(Object.fromEntries(USAGE_FIELDS.map((field) => [field, count(told[field])])))
}
