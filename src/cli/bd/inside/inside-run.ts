import type { CurrentRun } from '../../../domain/agent/current-run.ts'
import type { BdCall, BdCommand } from '../command.ts'
import type { CommandName } from '../registry.ts'
import { claimDone, onlyOwn } from './claim.ts'
import { checkCreation } from './create.ts'
import { checkLink } from './link.ts'
import { notForAgents } from './refusal.ts'
import { updateInside } from './update.ts'

/** Permissions of a bd command that an agent calls inside its run. An agent never settles a task. */
type Inside =
  /** Reads tasks, or reports on fleet itself. */
  | 'reads'
  /** Adds a comment to any task. */
  | 'comments'
  /** Appends to the notes of its own task. */
  | 'notes'
  /** Creates tasks, bounded in number and depth, in the agent's project. */
  | 'creates'
  /** On its own task a claim that the supervisor judges; on others refused. */
  | 'claims'
  /** Notes on its own task; claims and questions, as with `fleet done` and `fleet ask`. */
  | 'updates'
  /** Changes dependencies of tasks it created. */
  | 'links'
  | 'refused'

/** A new command does not compile without a row here; a new subcommand is refused until it has one. */
export const INSIDE: Readonly<Record<CommandName, Inside | Readonly<Record<string, Inside>>>> = {
  assign: 'refused',
  blocked: 'reads',
  children: 'reads',
  close: 'claims',
  comment: 'comments',
  comments: { '': 'reads', add: 'comments', list: 'reads' },
  count: 'reads',
  create: 'creates',
  defer: 'refused',
  delete: 'refused',
  dep: {
    '': 'links',
    add: 'links',
    remove: 'links',
    list: 'reads',
    tree: 'reads',
    cycles: 'reads',
    relate: 'refused',
    unrelate: 'refused',
  },
  done: 'claims',
  epic: { '': 'reads', status: 'reads', 'close-eligible': 'refused' },
  export: 'reads',
  history: 'reads',
  import: 'refused',
  label: { '': 'reads', add: 'refused', remove: 'refused', list: 'reads', 'list-all': 'reads', propagate: 'refused' },
  list: 'reads',
  note: 'notes',
  ping: 'reads',
  prime: 'reads',
  q: 'creates',
  query: 'reads',
  ready: 'reads',
  reopen: 'refused',
  search: 'reads',
  show: 'reads',
  stale: 'reads',
  status: 'reads',
  undefer: 'refused',
  update: 'updates',
  version: 'reads',
  where: 'reads',
}

export interface InsideCommand {
  readonly command: BdCommand
  readonly path: readonly string[]
  readonly own: CurrentRun
}

export async function runInside({ command, path, own }: InsideCommand, call: BdCall): Promise<void> {
  switch (ruleOf(path)) {
    case 'reads':
      if (call.flags.on('claim')) throw refusal([...path, '--claim'])
      return await command.run(call)
    case 'comments':
      if (call.flags.has('author'))
        throw notForAgents('--author is not for agents: their comments carry their own name')
      return await command.run(call)
    case 'notes':
      await onlyOwn(call, own, call.args.slice(0, 1), 'changed')
      return await command.run(call)
    case 'creates':
      return await command.run(await checkCreation(call, own.task))
    case 'claims':
      return await claimDone(call, own, { lastIsReason: command.name === 'done' })
    case 'updates':
      return await updateInside(call, own)
    case 'links':
      await checkLink(call, path)
      return await command.run(call)
    case 'refused':
      throw refusal(path)
  }
}

function ruleOf([name = '', sub = '']: readonly string[]): Inside {
  const rule = INSIDE[name as CommandName]
  return typeof rule === 'string' ? rule : (rule[sub] ?? 'refused')
}

function refusal(path: readonly string[]) {
  return notForAgents(`bd ${path.join(' ')} is not for agents: inside a run they settle and move no task`)
}
