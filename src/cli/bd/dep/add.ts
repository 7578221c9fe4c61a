import { canonicalType } from '../../../domain/task/dependency.ts'
import { isTaskId, prefixOf } from '../../../domain/task/id.ts'
import { nearest } from '../../../domain/text/nearest.ts'
import type { NewDependency } from '../../../ports/queue.ts'
import { alreadyChild, named, phraseOf, refusalText, wrongExternal, wrongType } from '../../render/dependency.ts'
import { type BdCall, type BdCommand, BdFailure } from '../command.ts'
import { refuse } from '../parts/arguments.ts'
import { resolveSaying } from '../parts/resolve.ts'
import { warningOfRunning } from '../parts/warn-running.ts'
import { addFromFile } from './add-file.ts'

export const depAdd: BdCommand = {
  name: 'add',
  summary: 'Add a dependency',
  usage: '[issue-id] [depends-on-id] [flags]',
  about: `Make the first task depend on the second.

The second may be given by --blocked-by or --depends-on instead, and may be an external reference
(external:<project>:<capability>), which is recorded but never holds anything up here.
With --file, edges come from JSON lines with "from", "to" and optionally "type": all or none are added.`,
  examples: [
    'fleet bd dep add fleet-42 fleet-41',
    'fleet bd dep add fleet-42 --blocked-by fleet-41',
    'fleet bd dep add --file edges.jsonl',
  ],
  flags: [
    {
      name: 'type',
      short: 't',
      kind: 'text',
      default: 'blocks',
      help: "Dependency type (blocks|tracks|related|parent-child|discovered-from|until|caused-by|validates|relates-to|supersedes); 'blocked-by' and 'depends-on' mean 'blocks'",
    },
    { name: 'blocked-by', kind: 'text', help: 'The task that blocks the first (instead of the second word)' },
    { name: 'depends-on', kind: 'text', help: 'The same as --blocked-by' },
    { name: 'file', kind: 'text', help: "Read edges from a JSONL file, or '-' for stdin" },
  ],
  refused: { 'no-cycle-check': 'cycles are always checked; it costs little here' },
  async run(call) {
    const type = canonicalType(call.flags.text('type') ?? 'blocks')
    const [from, to] = endsOf(call)
    if (from === undefined || to === undefined) return await addFromFile(call, type)
    const issue_id = await resolveSaying(call, from, `resolving issue ID ${from}`)
    const edge = { issue_id, depends_on_id: await targetOf(call, issue_id, to), type }
    refuseOwnParent(edge)
    const wrong = wrongType(type)
    if (wrong !== undefined) throw new BdFailure(wrong)
    await addOne(call, edge)
    await warnElsewhere(call, edge.depends_on_id)
    const { depends_on_id } = edge
    if (call.json) return call.answer({ depends_on_id, issue_id, status: 'added', type })
    const [dependent, target] = [await titleOf(call, issue_id), await titleOf(call, depends_on_id)]
    call.print(
      `✓ Added dependency: ${named(issue_id, dependent)} ${phraseOf(type)} ${named(depends_on_id, target)} (${type})`,
    )
  },
}

export function refuseOwnParent(edge: NewDependency): void {
  const child = alreadyChild(edge)
  if (child === undefined) return
  throw new BdFailure(
    `${child}. Children inherit dependency on parent completion via hierarchy. Adding an explicit dependency would create a deadlock`,
  )
}

/** The two ends as typed; none if the edges come from a file. */
function endsOf({ args, flags }: BdCall): [from?: string, to?: string] {
  const flagged = flags.text('blocked-by') || flags.text('depends-on') || undefined
  if ((flags.text('file') ?? '') !== '') {
    if (args.length > 0) throw refuse('--file cannot be used with positional issue IDs')
    if (flagged !== undefined) throw refuse('--file cannot be used with --blocked-by or --depends-on')
    return []
  }
  if (flagged !== undefined) {
    if (args.length < 1) throw refuse(`requires at least 1 arg(s), only received ${args.length}`)
    if (args.length > 1) throw refuse('cannot use both positional depends-on-id and --blocked-by/--depends-on flag')
    return [args[0] as string, flagged]
  }
  if (args.length !== 2) {
    throw refuse(`requires 2 arg(s), only received ${args.length} (or use --blocked-by/--depends-on flag)`)
  }
  return [args[0] as string, args[1] as string]
}

/** A task of this queue, an external reference, or the full id of a task in another project. */
export async function targetOf(call: BdCall, from: string, to: string): Promise<string> {
  if (to.startsWith('external:')) {
    const wrong = wrongExternal(to)
    if (wrong !== undefined) throw new BdFailure(wrong)
    return to
  }
  const match = await call.store.resolve(to)
  if (match.kind === 'unknown' && isTaskId(to) && prefixOf(to) !== prefixOf(from)) {
    const meant = await meantHere(call, to)
    if (meant.length === 0) return to
    throw new BdFailure(`resolving dependency ID ${to}: no issue found matching ${JSON.stringify(to)}`, {
      hint: `did you mean ${meant.join(' or ')}? (a task of another project: external:<project>:${to})`,
    })
  }
  return await resolveSaying(call, to, `resolving dependency ID ${to}: resolving issue ID ${to}`)
}

/** Tasks that differ from the id only in a likely mistyped prefix: an edge to a missing task never blocks anything. */
async function meantHere({ store }: BdCall, id: string): Promise<readonly string[]> {
  const prefix = prefixOf(id)
  const here = `${store.prefix}-${id.slice(prefix.length)}`
  if ((await store.get(here)) !== undefined) return [here]
  if (nearest(prefix, [`${store.prefix}-`]).length === 0) return []
  const match = await store.resolve(here)
  return match.kind === 'unknown' ? match.near : match.kind === 'found' ? [match.id] : match.ids.slice(0, 3)
}

/** bd records the edge silently. A warning helps a user who mistyped the id and expects a block. */
export async function warnElsewhere(call: BdCall, id: string): Promise<void> {
  if (call.quiet || id.startsWith('external:') || (await call.store.get(id)) !== undefined) return
  call.warn(`warning: ${id} is not kept here: the dependency is recorded, but holds nothing up`)
}

export async function addOne(call: BdCall, edge: NewDependency): Promise<void> {
  const result = await warningOfRunning(call, () => call.store.addDependency(edge, call.actor))
  const why = refusalText(edge, result)
  if (why !== '') throw new BdFailure(why)
}

/** '' for a task of another queue. */
export async function titleOf(call: BdCall, id: string): Promise<string> {
  return (await call.store.get(id))?.title ?? ''
}
