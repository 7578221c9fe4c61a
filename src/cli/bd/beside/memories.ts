import { MEMORY_PREFIX, memoryKeyOf } from '../../../domain/queue/value-keys.ts'
import { plainLine } from '../../../domain/text/plain.ts'
import { type BdCall, type BdCommand, BdFailure } from '../command.ts'
import { NOT_SERVED } from '../not-served.ts'
import { atMost, exactly } from '../parts/arguments.ts'
import { refuseReadonly } from '../parts/exclusive.ts'
import { COMMANDS } from '../registry.ts'
import { setBounded } from './bounded-value.ts'
import { cutToBytes } from './memory-text.ts'

export const remember: BdCommand = {
  name: 'remember',
  summary: 'Store a persistent memory',
  usage: '"<insight>" [flags]',
  about: `Keep an insight for later sessions: prime prints it, memories finds it, recall reads it, forget removes it.

The argument is the insight itself. Its key is made of its first words unless --key names one; the same key replaces.
A bare key of an existing memory is recalled, because it reads like a question.`,
  examples: ['fleet bd remember "run the tests with -race"', 'fleet bd remember "auth uses JWT" --key auth-jwt'],
  flags: [{ name: 'key', kind: 'text', help: 'Key of the memory; one that exists is replaced' }],
  async run(call) {
    const [insight] = exactly(call, 1) as [string]
    refuseReadonly(call, 'remember')
    const given = call.flags.text('key') ?? ''
    if (given === '') refuseCommandName(insight)
    const derived = memoryKeyOf(insight)
    if (given === '' && derived !== '' && derived === insight) return await recallInstead(call, derived)
    if (insight.trim() === '') throw new BdFailure('memory content cannot be empty')
    const key = given || derived
    if (key === '') throw new BdFailure('could not generate key from content; use --key to specify one')
    const memory = { what: 'memory', key: `${MEMORY_PREFIX}${key}`, value: insight, prefix: MEMORY_PREFIX }
    const before = await setBounded(call, memory)
    const verb = before === undefined ? 'Remembered' : 'Updated'
    if (call.json) return call.answer({ key, value: insight, action: verb.toLowerCase() })
    call.print(`${verb} [${plainLine(key)}]: ${shown(insight, 80)}`)
  },
}

/** `bd remember recall` is a slip, not an insight. */
function refuseCommandName(insight: string): void {
  const word = insight.trim().toLowerCase()
  if (word === '' || /\s/.test(word)) return
  const known =
    COMMANDS.find((each) => each.names.includes(word))?.names[0] ?? (NOT_SERVED.has(word) ? word : undefined)
  if (known === undefined) return
  const text = JSON.stringify(insight)
  throw new BdFailure(`${text} looks like a command, not something to remember`, {
    hint: `Did you mean 'bd ${known}'? To store ${text} as a memory anyway, give it an explicit key: bd remember ${text} --key <key>`,
  })
}

async function recallInstead(call: BdCall, key: string): Promise<void> {
  const value = await call.store.values.get(`${MEMORY_PREFIX}${key}`)
  if (value === undefined) {
    const text = JSON.stringify(key)
    throw new BdFailure(
      `no memory named ${text} to recall -- and refusing to store a bare key-like token as its own content. \`bd remember\` WRITES (its positional arg is CONTENT, not a key). To store it anyway: \`bd remember ${text} --key ${key}\`. To browse keys: \`bd memories\``,
    )
  }
  if (call.json) return call.answer({ key, value, found: true, action: 'recalled' })
  call.warn(
    `(recalled ${JSON.stringify(key)} -- a bare existing key READS. To overwrite: \`bd remember "<new content>" --key ${key}\`)`,
  )
  call.print(value)
}

export const memories: BdCommand = {
  name: 'memories',
  summary: 'List or search persistent memories',
  usage: '[search] [flags]',
  examples: ['fleet bd memories', 'fleet bd memories "race flag"'],
  flags: [],
  reads: true,
  async run(call) {
    const search = (atMost(call, 1)[0] ?? '').toLowerCase()
    const found = [...(await allMemories(call))].filter(
      ([key, value]) => key.toLowerCase().includes(search) || value.toLowerCase().includes(search),
    )
    if (call.json) return call.answer(Object.fromEntries(found))
    const text = JSON.stringify(search)
    if (found.length === 0) {
      const none = `No memories stored. Use 'bd remember "insight"' to add one.`
      return call.print(search === '' ? none : `No memories matching ${text}`)
    }
    call.print(search === '' ? `Memories (${found.length}):\n` : `Memories matching ${text}:\n`)
    for (const [key, value] of found) call.print(`  ${plainLine(key)}\n    ${shown(value, 120)}\n`)
  },
}

/** By key, without the prefix. */
export async function allMemories({ store }: Pick<BdCall, 'store'>): Promise<ReadonlyMap<string, string>> {
  const all = await store.values.list(MEMORY_PREFIX)
  return new Map([...all].map(([key, value]) => [key.slice(MEMORY_PREFIX.length), value]))
}

export const recall: BdCommand = {
  name: 'recall',
  summary: 'Retrieve a specific memory',
  usage: '<key> [flags]',
  examples: ['fleet bd recall auth-jwt'],
  flags: [],
  reads: true,
  async run(call) {
    const key = keyOf(call, 'recalling')
    const value = await call.store.values.get(`${MEMORY_PREFIX}${key}`)
    if (call.json) call.answer({ key, value: value ?? '', found: value !== undefined })
    else if (value !== undefined) call.print(value)
    else call.warn(`No memory with key ${JSON.stringify(key)}`)
    if (value === undefined) call.fail()
  },
}

export const forget: BdCommand = {
  name: 'forget',
  summary: 'Remove a persistent memory',
  usage: '<key> [flags]',
  examples: ['fleet bd forget auth-jwt'],
  flags: [],
  async run(call) {
    const key = keyOf(call, 'forgetting')
    refuseReadonly(call, 'forget')
    const value = await call.store.values.remove(`${MEMORY_PREFIX}${key}`)
    if (value === undefined) {
      if (call.json) call.answer({ key, found: 'false' })
      else call.warn(`No memory with key ${JSON.stringify(key)}`)
      return call.fail()
    }
    if (call.json) return call.answer({ key, deleted: 'true' })
    call.print(`Forgot [${plainLine(key)}]: ${shown(value, 80)}`)
  },
}

function keyOf(call: BdCall, doing: string): string {
  const [key] = exactly(call, 1) as [string]
  if (key === '') throw new BdFailure(`${doing} memory: validation failed: memory key must not be empty`)
  return key
}

function shown(text: string, bytes: number): string {
  return plainLine(cutToBytes(text.replaceAll('\n', ' '), bytes))
}
