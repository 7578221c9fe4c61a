import { KV_PREFIX, MEMORY_PREFIX } from '../../domain/queue/value-keys.ts'
import { isObject } from '../../domain/task/settings.ts'
import { isTaken, type QueueValues, type SetValueResult, type ValueBound } from '../../ports/queue-values.ts'
import { payloadOf } from './answer.ts'
import type { Bd, BdCommand } from './bd.ts'

/** bd keeps its named texts itself. Agents reach them through fleet, so each write has fleet's name. */
const BY = 'fleet'

export class BeadsValues implements QueueValues {
  readonly costly = true
  readonly #bd: Pick<Bd, 'read' | 'write'>

  constructor(bd: Pick<Bd, 'read' | 'write'>) {
    this.#bd = bd
  }

  async list(prefix: string): Promise<ReadonlyMap<string, string>> {
    const pairs = prefix.startsWith(KV_PREFIX)
      ? await this.#pairs()
      : [...(await this.#pairs()), ...(await this.#rest())]
    return new Map(pairs.filter(([key]) => key.startsWith(prefix)).sort(([a], [b]) => (a < b ? -1 : 1)))
  }

  /** A configured value may stand in a file, which no list shows. An empty one counts as none, as in bd. */
  async get(key: string): Promise<string | undefined> {
    if (key.startsWith(KV_PREFIX)) return (await this.list(key)).get(key)
    const payload = payloadOf(await this.#bd.read(['config', 'get', '--', key]))
    const value = isObject(payload) ? payload['value'] : undefined
    return typeof value === 'string' && value !== '' ? value : undefined
  }

  async set(key: string, value: string, bound?: ValueBound): Promise<SetValueResult> {
    const before = await this.get(key)
    if (isTaken(before, value, bound)) return { kind: 'taken' }
    if (before === undefined && bound !== undefined) {
      const count = (await this.list(bound.prefix)).size
      if (count >= bound.most) return { kind: 'full', count }
    }
    await this.#bd.write(setCommand(key, value))
    return { kind: 'set', before }
  }

  async remove(key: string): Promise<string | undefined> {
    const before = await this.get(key)
    if (before !== undefined) await this.#bd.write(removeCommand(key))
    return before
  }

  async #pairs(): Promise<[string, string][]> {
    return textsIn(await this.#bd.read(['kv', 'list'])).map(([key, value]) => [`${KV_PREFIX}${key}`, value])
  }

  async #rest(): Promise<[string, string][]> {
    return textsIn(await this.#bd.read(['config', 'list'])).filter(([key]) => !key.startsWith(KV_PREFIX))
  }
}

/** `--`: a text that begins with a hyphen is no flag. */
export function setCommand(key: string, value: string): BdCommand {
  if (key.startsWith(MEMORY_PREFIX)) {
    return { argv: ['remember', `--key=${key.slice(MEMORY_PREFIX.length)}`, '--', value], by: BY }
  }
  if (key.startsWith(KV_PREFIX)) return { argv: ['kv', 'set', '--', key.slice(KV_PREFIX.length), value], by: BY }
  return { argv: ['config', 'set', '--', key, value], by: BY }
}

function removeCommand(key: string): BdCommand {
  if (key.startsWith(MEMORY_PREFIX)) return { argv: ['forget', '--', key.slice(MEMORY_PREFIX.length)], by: BY }
  if (key.startsWith(KV_PREFIX)) return { argv: ['kv', 'clear', '--', key.slice(KV_PREFIX.length)], by: BY }
  return { argv: ['config', 'unset', '--', key], by: BY }
}

function textsIn(answer: string): [string, string][] {
  const payload = payloadOf(answer)
  if (!isObject(payload)) return []
  return Object.entries(payload).filter((pair): pair is [string, string] => typeof pair[1] === 'string')
}
