import { refusalText } from '../../render/dependency.ts'
import { type BdCall, type BdCommand, BdFailure } from '../command.ts'
import { closeRefusal } from '../parts/amend-refusal.ts'
import { exactly, refuse } from '../parts/arguments.ts'
import { refuseReadonly } from '../parts/exclusive.ts'
import { resolveSaying } from '../parts/resolve.ts'

/** Two commands that close an issue in favour of another and leave a link to it. */
interface Replacement {
  readonly name: 'duplicate' | 'supersede'
  readonly flag: string
  readonly edge: 'duplicates' | 'supersedes'
  readonly as: string
  /** The names of the two ids in JSON. */
  readonly ends: readonly [closed: string, kept: string]
}

export const duplicate: BdCommand = {
  ...command({
    name: 'duplicate',
    flag: 'of',
    edge: 'duplicates',
    as: 'duplicate of',
    ends: ['duplicate', 'canonical'],
  }),
  summary: 'Mark an issue as a duplicate of another',
  usage: '<id> --of <canonical> [flags]',
  about: 'Close an issue as a duplicate, with a link to the one that stays.',
  examples: ['fleet bd duplicate fleet-a1b --of fleet-c2d'],
  flags: [{ name: 'of', kind: 'text', help: 'Canonical issue ID (required)' }],
}

export const supersede: BdCommand = {
  ...command({
    name: 'supersede',
    flag: 'with',
    edge: 'supersedes',
    as: 'superseded by',
    ends: ['superseded', 'replacement'],
  }),
  summary: 'Mark an issue as superseded by a newer one',
  usage: '<id> --with <new> [flags]',
  about: 'Close an issue that a newer one replaces, with a link to the newer one.',
  examples: ['fleet bd supersede fleet-a1b --with fleet-c2d'],
  flags: [{ name: 'with', kind: 'text', help: 'Replacement issue ID (required)' }],
}

function command(how: Replacement): Pick<BdCommand, 'name' | 'run'> {
  return { name: how.name, run: (call) => replace(call, how) }
}

async function replace(call: BdCall, { name, flag, edge: type, as, ends }: Replacement): Promise<void> {
  const [typed] = exactly(call, 1) as [string]
  const other = call.flags.text(flag)
  if (other === undefined) throw refuse(`required flag(s) "${flag}" not set`)
  refuseReadonly(call, name)
  const closed = await found(call, typed)
  const kept = await found(call, other)
  if (closed === kept) throw refuse(`cannot mark an issue as ${as} itself`)
  await closable(call, closed)
  const edge = { issue_id: closed, depends_on_id: kept, type }
  const linked = await call.store.addDependency(edge, call.actor)
  const why = refusalText(edge, linked)
  if (why !== '') throw refuse(`failed to add ${name} link: ${why}`)
  const result = await call.store.close(closed, { reason: '', force: true }, call.actor)
  const refused = closeRefusal(closed, result, call.actor)
  if (refused !== undefined) throw refuse(refused)
  if (call.json) return call.answer({ [ends[0]]: closed, [ends[1]]: kept, status: 'closed' })
  call.print(`✓ Marked ${closed} as ${as} ${kept} (closed)`)
}

/** bd closes an issue here even while somebody works on it; fleet does not take work away from a running agent unasked. */
async function closable(call: BdCall, id: string): Promise<void> {
  const task = await call.store.get(id)
  if (task?.status !== 'in_progress' || task.assignee === '' || task.assignee === call.actor) return
  throw new BdFailure(`${id} is held by ${JSON.stringify(task.assignee)}, who works on it: nothing was changed`, {
    json: 'text',
    hint: `fleet bd unclaim ${id} --force takes it back first`,
  })
}

async function found(call: BdCall, text: string): Promise<string> {
  try {
    return await resolveSaying(call, text, `failed to resolve ${text}`)
  } catch (error) {
    if (!(error instanceof BdFailure)) throw error
    throw new BdFailure(error.message, { json: 'text', ...(error.hint === undefined ? {} : { hint: error.hint }) })
  }
}
