import { mapStrings } from '../../../domain/text/redact.ts'
import { redaction } from '../../../views/redaction.ts'
import type { BdCall } from '../command.ts'

/** The methods with which an agent can write; the others only read, or are refused inside a run. */
const WRITES = new Set([
  'create',
  'update',
  'amend',
  'comment',
  'addComment',
  'addDependency',
  'addDependencies',
  'set',
])

/**
 * The call with a store that keeps no secret of what an agent writes: titles, descriptions, notes, comments, labels,
 * memories. They are read by people and by other agents, exported, and sent to other machines.
 */
export async function redacting(call: BdCall): Promise<BdCall> {
  const redact = await redaction(call.home, call.env)
  // `call` has getters (the store opens late), so inherit from it; copying would open the store.
  return Object.create(call, { store: { get: () => redactingWrites(call.store, redact) } })
}

function redactingWrites<T extends object>(target: T, redact: (text: string) => string): T {
  return new Proxy(target, {
    get(_target, name) {
      const member: unknown = Reflect.get(target, name, target)
      if (name === 'values') return redactingWrites(member as object, redact)
      if (typeof member !== 'function') return member
      // Bound: a store has private members, which a proxy does not.
      if (!WRITES.has(String(name))) return member.bind(target)
      return (...given: readonly unknown[]) => member.apply(target, mapStrings(given, redact))
    },
  })
}
