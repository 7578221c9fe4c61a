import type { ValueBound } from '../../../ports/queue-values.ts'
import { type BdCall, BdFailure } from '../command.ts'

/** How much an agent may keep beside the tasks: enough for what was learnt, too little for a log. */
const AGENT_BYTES = 4096
const AGENT_MOST = 200
/** The same for people; a value beyond it is a file. */
const BYTES = 1024 * 1024

interface Given {
  /** For messages: `memory` or `value`. */
  readonly what: string
  readonly key: string
  readonly value: string
  /** Of the keys that are counted together. */
  readonly prefix: string
}

/** Sets a value within the caller's bounds, and returns the value that it replaces. An agent replaces none: it may be a person's. */
export async function setBounded(call: BdCall, { what, key, value, prefix }: Given): Promise<string | undefined> {
  const agent = call.agent !== undefined
  const most = agent ? AGENT_BYTES : BYTES
  const size = Buffer.byteLength(key) + Buffer.byteLength(value)
  if (value.includes('\0') || key.includes('\0')) throw new BdFailure(`the ${what} contains a NUL character`)
  if (size > most) {
    throw new BdFailure(`the ${what} is ${size} bytes long, and ${most} is the limit${agent ? ' for an agent' : ''}`, {
      hint: agent
        ? 'keep the essence here, and the rest in a file of the project'
        : 'keep it in a file, and name the file here',
    })
  }
  const bound: ValueBound | undefined = agent ? { prefix, most: AGENT_MOST } : undefined
  const result = await call.store.values.set(key, value, bound)
  if (result.kind === 'set') return result.before
  if (result.kind === 'taken') {
    throw new BdFailure(`there is another ${what} with this key, and inside a run no ${what} is replaced`, {
      hint: 'keep yours under a new key, or tell people what is out of date: fleet note "<text>"',
    })
  }
  throw new BdFailure(`there are ${result.count} of them, and an agent adds none beyond ${AGENT_MOST}`, {
    hint: 'tell people which are out of date: fleet note "<text>"',
  })
}
