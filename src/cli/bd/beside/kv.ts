import { KV_PREFIX, kvKeyProblem } from '../../../domain/queue/value-keys.ts'
import { plainLine } from '../../../domain/text/plain.ts'
import { type BdCall, type BdCommand, BdFailure } from '../command.ts'
import { commandHelp } from '../help.ts'
import { exactly } from '../parts/arguments.ts'
import { refuseReadonly } from '../parts/exclusive.ts'
import { setBounded } from './bounded-value.ts'

const set: BdCommand = {
  name: 'set',
  summary: 'Set a key-value pair',
  usage: '<key> <value> [flags]',
  examples: ['fleet bd kv set max_retries 3'],
  flags: [],
  async run(call) {
    const [key, value] = exactly(call, 2) as [string, string]
    refuseReadonly(call, 'kv set')
    checkKey(key)
    await setBounded(call, { what: 'value', key: `${KV_PREFIX}${key}`, value, prefix: KV_PREFIX })
    if (call.json) return call.answer({ key, value })
    call.print(`Set ${plainLine(key)} = ${value}`)
  },
}

const get: BdCommand = {
  name: 'get',
  summary: 'Get a value by key',
  usage: '<key> [flags]',
  flags: [],
  reads: true,
  async run(call) {
    const [key] = exactly(call, 1) as [string]
    const value = (await call.store.values.get(`${KV_PREFIX}${key}`)) ?? ''
    if (call.json) call.answer({ key, value, found: value !== '' })
    else if (value === '') call.warn(`${plainLine(key)} (not set)`)
    else call.print(value)
    if (value === '') call.fail()
  },
}

const clear: BdCommand = {
  name: 'clear',
  summary: 'Delete a key-value pair',
  usage: '<key> [flags]',
  flags: [],
  async run(call) {
    const [key] = exactly(call, 1) as [string]
    refuseReadonly(call, 'kv clear')
    checkKey(key)
    await call.store.values.remove(`${KV_PREFIX}${key}`)
    if (call.json) return call.answer({ key, deleted: 'true' })
    call.print(`Cleared ${plainLine(key)}`)
  },
}

const list: BdCommand = {
  name: 'list',
  summary: 'List all key-value pairs',
  usage: '[flags]',
  flags: [],
  reads: true,
  async run(call) {
    const pairs = [...(await call.store.values.list(KV_PREFIX))].map(
      ([key, value]) => [key.slice(KV_PREFIX.length), value] as const,
    )
    if (call.json) return call.answer(Object.fromEntries(pairs))
    if (pairs.length === 0) return call.print('No key-value pairs set')
    call.print('\nKey-Value Store:')
    for (const [key, value] of pairs) call.print(`  ${plainLine(key)} = ${plainLine(value)}`)
  },
}

function checkKey(key: string): void {
  const problem = kvKeyProblem(key)
  if (problem !== undefined) throw new BdFailure(`invalid key: ${problem}`)
}

export const kv: BdCommand = {
  name: 'kv',
  summary: 'Key-value store commands',
  usage: '[command]',
  about: 'Keep values of your own beside the tasks: flags, addresses, whatever a later session has to know.',
  flags: [],
  subcommands: [set, get, clear, list],
  async run(call: BdCall) {
    call.print(commandHelp(kv, ['kv']).trimEnd())
  },
}
