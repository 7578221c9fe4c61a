import type { CoderEvent } from '../../domain/run/event.ts'
import { isZero } from '../../domain/run/usage.ts'
import { type Fields, fields, word } from '../shared/fields.ts'
import { usageOf } from './result.ts'

type UsageEvent = Extract<CoderEvent, { type: 'usage' }>

/** The usage of one message of the model; undefined: it tells none. */
export function messageUsage(message: Fields, subagent: boolean): UsageEvent | undefined {
  const id = word(message['id'])
  const usage = fields(message['usage'])
  if (id === undefined || usage === undefined) return undefined
  const used = usageOf(usage)
  // A message without usage comes from the CLI, whatever model it names: no model has answered.
  if (isZero(used)) return undefined
  const model = word(message['model'])
  // Built without copying: these make up much of a stream.
  const event: { -readonly [K in keyof UsageEvent]: UsageEvent[K] } = { type: 'usage', message: id, usage: used }
  if (model !== undefined) event.model = model
  if (subagent) event.subagent = true
  return event
}
