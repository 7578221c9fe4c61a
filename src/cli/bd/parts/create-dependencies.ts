import { DEPENDENCY_TYPES } from '../../../domain/task/dependency.ts'
import type { DraftDependency } from '../../../ports/queue.ts'
import { type BdCall, BdFailure } from '../command.ts'
import { inText } from './issue-input.ts'
import { resolveSaying, resolveTask } from './resolve.ts'

/** A parsed `--deps` entry, before ids are resolved. */
interface Spec {
  readonly on: string
  readonly type: string
  /** `blocks:x`: the new task blocks x. */
  readonly reverse: boolean
}

export function parseDependencies(texts: readonly string[]): Spec[] {
  const specs = new Map<string, Spec>()
  for (const text of texts.map((each) => each.trim()).filter((each) => each !== '')) {
    const spec = parse(text)
    const key = `${spec.reverse} ${spec.on}`
    const before = specs.get(key)
    if (before !== undefined && before.type !== spec.type) {
      throw new BdFailure(
        `--deps cannot attach both ${JSON.stringify(before.type)} and ${JSON.stringify(spec.type)} to the same target ${JSON.stringify(spec.on)}: a target can only carry one dependency type at a time. Pick one type, or open a separate issue for the second relationship (GH#4626)`,
      )
    }
    specs.set(key, before ?? spec)
  }
  return [...specs.values()]
}

/** Resolves each target to a full id. An unknown id ends the command before anything is written. */
export async function resolveDependencies(call: BdCall, specs: readonly Spec[]): Promise<DraftDependency[]> {
  const resolved: DraftDependency[] = []
  for (const spec of specs) {
    const on = await resolveSaying(call, spec.on, `resolving --deps target ${JSON.stringify(spec.on)}`)
    resolved.push({ ...spec, on })
  }
  return resolved
}

const GATES = ['all-children', 'any-children']

/** Blocked until all (or the first) of a task's children are done. bd stores an unknown id; fleet refuses it. */
export async function waitsFor(call: BdCall): Promise<DraftDependency[]> {
  const spawner = call.flags.text('waits-for')?.trim() ?? ''
  if (spawner === '') {
    if (call.flags.has('waits-for-gate'))
      throw inText('--waits-for-gate requires --waits-for (no spawner ID specified)')
    return []
  }
  const gate = call.flags.text('waits-for-gate') || 'all-children'
  if (!GATES.includes(gate)) {
    throw inText(`invalid --waits-for-gate value ${JSON.stringify(gate)} (valid: ${GATES.join(', ')})`)
  }
  return [{ on: await resolveTask(call, spawner), type: 'waits-for', metadata: JSON.stringify({ gate }) }]
}

const ACCEPTED = [...DEPENDENCY_TYPES, 'blocked-by', 'depends-on'].sort()
const SAME_AS_BLOCKS = ['depends-on', 'blocked-by']
const MAX_TYPE_LENGTH = 32

function parse(text: string): Spec {
  const colon = text.indexOf(':')
  if (colon === -1) return { on: text, type: 'blocks', reverse: false }
  const word = text.slice(0, colon).trim()
  const on = text.slice(colon + 1).trim()
  const type = SAME_AS_BLOCKS.includes(word) ? 'blocks' : word
  const valid = `valid types: ${ACCEPTED.join(', ')}`
  if (type === '' || type.length > MAX_TYPE_LENGTH) {
    const rule = `must be non-empty, max ${MAX_TYPE_LENGTH} chars`
    throw new BdFailure(`invalid dependency type ${JSON.stringify(type)} (${rule}); ${valid}`)
  }
  if (!(DEPENDENCY_TYPES as readonly string[]).includes(type)) {
    throw new BdFailure(`unknown dependency type ${JSON.stringify(type)}; ${valid}`)
  }
  return { on, type, reverse: word === 'blocks' }
}
