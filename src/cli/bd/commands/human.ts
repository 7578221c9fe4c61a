import type { Task } from '../../../domain/task/task.ts'
import { plainLine } from '../../../domain/text/plain.ts'
import type { TaskQuery } from '../../../ports/task-store.ts'
import { issueJson } from '../../../views/json/issue.ts'
import { type BdCall, type BdCommand, BdFailure } from '../command.ts'
import { closeRefusal } from '../parts/amend-refusal.ts'
import { atLeast } from '../parts/arguments.ts'
import { commentText } from '../parts/comment-text.ts'
import { hiddenStatuses } from '../parts/configured.ts'
import { refuseReadonly } from '../parts/exclusive.ts'
import { statusesFrom } from '../parts/list-query.ts'
import { resolveSaying } from '../parts/resolve.ts'

/** Issues that wait for a person, by bd's label for them. What a running agent asks is in `fleet questions`. */
const LABEL = 'human'
const DISMISSED = 'Dismissed'

const list: BdCommand = {
  name: 'list',
  summary: 'List human-needed beads',
  usage: '[flags]',
  about: "List issues with the label 'human', of every type; by default those that are not done.",
  flags: [
    {
      name: 'status',
      short: 's',
      kind: 'text',
      help: "Filter by status (comma-separated for several, 'all' for every status)",
    },
  ],
  reads: true,
  async run(call) {
    const found = await needed(call, call.flags.text('status') ?? '')
    // bd prints null where there are none.
    if (call.json) return call.answer(found.length === 0 ? null : found.map(issueJson))
    if (found.length === 0) return call.print('No human-needed beads found.')
    call.print(`\nHuman-needed beads (${found.length} found)\n`)
    for (const { id, title, status, priority } of found) {
      call.print(`  ${id} ${plainLine(title)}`)
      if (status !== 'open') call.print(`    Status: ${status}`)
      call.print(`    Priority: P${priority}\n`)
    }
  },
}

async function needed(call: BdCall, status: string): Promise<Task[]> {
  const statuses = await statusesOf(call, status)
  const scope: TaskQuery =
    statuses[0] === 'all'
      ? {}
      : statuses.length > 0
        ? { statuses }
        : { notStatuses: ['closed', 'pinned', ...(await hiddenStatuses(call))] }
  const found: Task[] = []
  for await (const task of call.store.find({ ...scope, labelsAll: [LABEL], sort: 'priority' })) found.push(task)
  return found
}

async function statusesOf(call: BdCall, text: string): Promise<string[]> {
  try {
    return await statusesFrom(call, text)
  } catch (error) {
    if (error instanceof BdFailure) throw new BdFailure(`listing human beads: ${error.message}`)
    throw error
  }
}

const respond: BdCommand = {
  name: 'respond',
  summary: 'Respond to a human-needed bead',
  usage: '<issue-id> [response...] [flags]',
  about: 'Answer an issue with a comment and close it.',
  examples: ['fleet bd human respond fleet-a1b "Use OAuth2"'],
  flags: [
    { name: 'response', short: 'r', kind: 'text', help: 'Response text' },
    { name: 'file', kind: 'text', help: 'Read response text from file' },
    { name: 'stdin', kind: 'switch', help: 'Read response text from stdin' },
  ],
  async run(call) {
    const [typed, ...words] = atLeast(call, 1) as [string, ...string[]]
    refuseReadonly(call, 'human respond')
    const flagged = call.flags.text('response')
    if (flagged !== undefined && (words.length > 0 || call.flags.has('file') || call.flags.on('stdin'))) {
      throw new BdFailure('cannot combine --response with another response text')
    }
    const text = commentText(call, flagged === undefined ? words : [flagged], {
      what: 'response',
      hint: 'use positional args, --response, --file, or --stdin',
    })
    const task = await openOne(call, typed)
    await call.store.addComment(task.id, { author: call.actor, text: `Response: ${text}` })
    await close(call, task.id, 'Responded')
    call.print(`✔ Bead ${task.id} closed with response.`)
  },
}

const dismiss: BdCommand = {
  name: 'dismiss',
  summary: 'Dismiss a human-needed bead',
  usage: '<issue-id> [reason...] [flags]',
  about: 'Close an issue without an answer.',
  flags: [{ name: 'reason', kind: 'text', help: 'Reason for dismissal (optional)' }],
  async run(call) {
    const [typed, ...words] = atLeast(call, 1) as [string, ...string[]]
    refuseReadonly(call, 'human dismiss')
    const flagged = call.flags.text('reason')
    if (flagged !== undefined && words.join(' ').trim() !== '') {
      throw new BdFailure(`cannot combine positional text ${JSON.stringify(words.join(' '))} with --reason`)
    }
    const reason = (flagged ?? words.join(' ')).trim()
    const task = await openOne(call, typed)
    await close(call, task.id, reason === '' ? DISMISSED : `${DISMISSED}: ${reason}`)
    call.print(`✔ Bead ${task.id} dismissed.`)
  },
}

async function openOne(call: BdCall, typed: string): Promise<Task> {
  const id = await resolveSaying(call, typed, `resolving issue ID ${typed}`)
  const task = await call.store.get(id)
  if (task === undefined) throw new BdFailure(`issue not found: ${typed}`)
  if (task.status === 'closed') throw new BdFailure(`issue ${id} is already closed`)
  if (!task.labels.includes(LABEL)) call.warn(`Warning: Issue ${id} does not have 'human' label`)
  return task
}

async function close(call: BdCall, id: string, reason: string): Promise<void> {
  const result = await call.store.close(id, { reason }, call.actor)
  const why = closeRefusal(id, result, call.actor)
  if (why !== undefined) throw new BdFailure(`closing bead: ${why}`)
}

const stats: BdCommand = {
  name: 'stats',
  summary: 'Show summary statistics for human-needed beads',
  usage: '[flags]',
  flags: [],
  reads: true,
  async run(call) {
    const all = await needed(call, 'all')
    const closed = all.filter((task) => task.status === 'closed')
    const dismissed = closed.filter((task) => task.close_reason.startsWith(DISMISSED)).length
    call.print(`\nHuman Beads Stats\n
  Total:      ${all.length}
  Pending:    ${all.length - closed.length}
  Responded:  ${closed.length - dismissed}
  Dismissed:  ${dismissed}\n`)
  },
}

const ESSENTIAL = `
The commands that people need most

Work:
  create               Create a new issue
  list                 List issues (filter with --status, --priority, --label)
  show <id>            Show issue details
  update <id>          Update an issue (--status, --priority, --assignee)
  close <id>           Close one or more issues
  reopen <id>          Reopen a closed issue
  note <id> <text>     Add a note to an issue

Find:
  ready                Show issues ready to work on
  search <text>        Search issues by text
  status               Show how many issues are in each state
  blocked              Show what waits, and for what

Order:
  dep add <a> <b>      a waits until b is closed
  dep remove <a> <b>   Remove a dependency
  dep tree <id>        Show the tree of dependencies
  graph <id>           Show what can be done in which order

For people:
  human list           Issues with the label 'human'
  human respond <id>   Answer one and close it
  human dismiss <id>   Close one without an answer
  human stats          Count them

fleet bd --help lists every command; fleet questions lists what running agents ask.
`

export const human: BdCommand = {
  name: 'human',
  summary: 'Show essential commands for human users',
  usage: '[command]',
  about: "The commands that people need most, and those for issues with the label 'human', which wait for a person.",
  flags: [],
  subcommands: [list, respond, dismiss, stats],
  reads: true,
  async run(call) {
    call.print(ESSENTIAL.trimEnd())
  },
}
