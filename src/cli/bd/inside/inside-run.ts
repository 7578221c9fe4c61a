import type { CurrentRun } from '../../../domain/agent/current-run.ts'
import type { BdCall, BdCommand } from '../command.ts'
import type { CommandName } from '../registry.ts'
import { claimDone, onlyOwn } from './claim.ts'
import { checkCreation } from './create.ts'
import { checkLink } from './link.ts'
import { redacting } from './redacting-store.ts'
import { notForAgents } from './refusal.ts'
import { checkTag } from './tag.ts'
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
  /** Labels its own task and those it created, bounded in number and length. */
  | 'tags'
  /** Adds memories and values beside the tasks, bounded in number and size, and replaces none (beside/bounded-value.ts). */
  | 'keeps'
  | 'refused'

/** A new command does not compile without a row here; a new subcommand is refused until it has one. */
export const INSIDE: Readonly<Record<CommandName, Inside | Readonly<Record<string, Inside>>>> = {
  assign: 'refused',
  blocked: 'reads',
  children: 'reads',
  close: 'claims',
  'codex-hook': 'reads',
  comment: 'comments',
  comments: { '': 'reads', add: 'comments', list: 'reads' },
  config: {
    '': 'reads',
    get: 'reads',
    list: 'reads',
    validate: 'reads',
    set: 'refused',
    'set-many': 'refused',
    unset: 'refused',
  },
  count: 'reads',
  create: 'creates',
  'cursor-hook': 'reads',
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
  duplicate: 'refused',
  edit: 'refused',
  epic: { '': 'reads', status: 'reads', 'close-eligible': 'refused' },
  export: 'reads',
  forget: 'refused',
  graph: { '': 'reads', check: 'reads' },
  history: 'reads',
  human: { '': 'reads', list: 'reads', stats: 'reads', respond: 'refused', dismiss: 'refused' },
  import: 'refused',
  kv: { '': 'reads', get: 'reads', list: 'reads', set: 'keeps', clear: 'refused' },
  label: { '': 'reads', add: 'refused', remove: 'refused', list: 'reads', 'list-all': 'reads', propagate: 'refused' },
  link: 'links',
  lint: 'reads',
  list: 'reads',
  memories: 'reads',
  note: 'notes',
  orphans: 'reads',
  ping: 'reads',
  prime: 'reads',
  priority: 'refused',
  q: 'creates',
  query: 'reads',
  ready: 'reads',
  recall: 'reads',
  remember: 'keeps',
  reopen: 'refused',
  search: 'reads',
  show: 'reads',
  stale: 'reads',
  status: 'reads',
  statuses: 'reads',
  supersede: 'refused',
  tag: 'tags',
  types: 'reads',
  unclaim: 'refused',
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

export async function runInside({ command, path, own }: InsideCommand, given: BdCall): Promise<void> {
  const rule = ruleOf(path)
  if (rule === 'refused') throw refusal(path)
  if (rule === 'reads') {
    for (const flag of ['claim', 'fix']) if (given.flags.on(flag)) throw refusal([...path, `--${flag}`])
    return await command.run(given)
  }
  // A claim is a letter, which the supervisor redacts.
  if (rule === 'claims') return await claimDone(given, own, { lastIsReason: command.name === 'done' })
  const call = await redacting(given)
  switch (rule) {
    case 'comments':
      if (call.flags.has('author'))
        throw notForAgents('--author is not for agents: their comments carry their own name')
      return await command.run(call)
    case 'notes':
      await onlyOwn(call, own, call.args.slice(0, 1), 'changed')
      return await command.run(call)
    case 'creates':
      return await command.run(await checkCreation(call, own.task))
    case 'updates':
      return await updateInside(call, own)
    case 'links':
      await checkLink(call, path)
      return await command.run(call)
    case 'tags':
      await checkTag(call, own)
      return await command.run(call)
    case 'keeps':
      return await command.run(call)
  }
}

function ruleOf([name = '', sub = '']: readonly string[]): Inside {
  const rule = INSIDE[name as CommandName]
  return typeof rule === 'string' ? rule : (rule[sub] ?? 'refused')
}

function refusal(path: readonly string[]) {
  const [name = ''] = path
  const why = WHY[name] ?? 'inside a run they settle and move no task'
  return notForAgents(`bd ${path.join(' ')} is not for agents: ${why}`, INSTEAD[name])
}

/** Where the command is about something else than tasks. */
const WHY: Readonly<Record<string, string>> = {
  config: 'people configure the queue',
  forget: 'people remove memories',
  kv: 'people remove values',
}
const OUT_OF_DATE = 'fleet note "<text>" tells people what is out of date'

/** Where another way than a comment or a question does the job. */
const INSTEAD: Readonly<Record<string, string>> = {
  forget: OUT_OF_DATE,
  kv: OUT_OF_DATE,
  unclaim: 'just stop: without fleet done the supervisor takes the task back, and fleet note "<text>" tells it why',
  duplicate:
    'say so in a comment (fleet bd comment <id> "duplicate of …"), or of your own task in fleet done "<summary>"',
  supersede:
    'say so in a comment (fleet bd comment <id> "replaced by …"), or of your own task in fleet done "<summary>"',
  edit: 'fleet bd note adds to the notes of your task; fleet bd comment <id> "<text>" tells people about any task',
}
