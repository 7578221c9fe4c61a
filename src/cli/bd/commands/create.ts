import { settingsOf } from '../../../domain/task/settings.ts'
import { type Task, TITLE_LIMIT } from '../../../domain/task/task.ts'
import { plainLine } from '../../../domain/text/plain.ts'
import { AppError } from '../../../errors.ts'
import { DependencyRefused } from '../../../ports/dependency-refused.ts'
import type { TaskDraft } from '../../../ports/queue.ts'
import { issueJson } from '../../../views/json/issue.ts'
import { refusalText } from '../../render/dependency.ts'
import { type BdCall, type BdCommand, BdFailure } from '../command.ts'
import { checkSections } from '../parts/check-sections.ts'
import { isKnownType } from '../parts/configured.ts'
import { draftFrom } from '../parts/create-draft.ts'
import { imagined, preview } from '../parts/create-preview.ts'
import { refuseReadonly, refuseTogether } from '../parts/exclusive.ts'
import { REFUSED, SETTINGS_FLAGS, TEXT_EXCLUSIVE, TEXT_FLAGS } from '../parts/issue-flags.ts'
import { inText } from '../parts/issue-input.ts'
import { project } from '../parts/task-file.ts'

export const create: BdCommand = {
  name: 'create',
  aliases: ['new'],
  summary: 'Create a new issue',
  usage: '[title] [flags]',
  about: `Create a new issue. It remembers the directory you are in (--cwd names another), and the coder and model
that are to do it if you name them.`,
  examples: [
    'fleet bd create "Fix the login" -p 1 -t bug',
    'fleet bd create "Write the docs" --deps blocked-by:fleet-a1b --coder claude --model opus',
    'git diff | fleet bd create "Review this" --stdin',
  ],
  flags: [
    { name: 'title', kind: 'text', help: 'Issue title (alternative to positional argument)' },
    { name: 'priority', short: 'p', kind: 'text', default: '2', help: 'Priority (0-4 or P0-P4, 0=highest)' },
    {
      name: 'type',
      short: 't',
      kind: 'text',
      default: 'task',
      help: 'Issue type (bug|feature|task|epic|chore|decision|spike|story|milestone)',
    },
    { name: 'status', short: 's', kind: 'text', help: 'Initial status' },
    ...TEXT_FLAGS,
    { name: 'labels', short: 'l', kind: 'list', help: 'Labels (comma-separated)' },
    { name: 'label', kind: 'list', help: 'Alias for --labels', hidden: true },
    { name: 'skills', kind: 'text', help: 'Required skills for this issue' },
    { name: 'context', kind: 'text', help: 'Additional context for the issue' },
    { name: 'id', kind: 'text', help: "Explicit issue ID (e.g., 'fleet-42')" },
    { name: 'parent', kind: 'text', help: 'Parent issue ID for hierarchical child' },
    { name: 'no-inherit-labels', kind: 'switch', help: "Don't inherit labels from parent issue" },
    {
      name: 'deps',
      kind: 'list',
      help: "Dependencies as 'type:id' or 'id'; 'blocks:id' makes id wait for this issue, all others make this issue wait for id",
    },
    { name: 'waits-for', kind: 'text', help: 'Wait for the children of this issue' },
    { name: 'waits-for-gate', kind: 'text', default: 'all-children', help: 'all-children or any-children' },
    { name: 'ephemeral', kind: 'switch', help: 'Short-lived: never handed out, not exported' },
    { name: 'force', kind: 'switch', help: "Allow an --id whose prefix is not the queue's" },
    { name: 'validate', kind: 'switch', help: 'Refuse a description without the sections that its type should have' },
    { name: 'dry-run', kind: 'switch', help: 'Preview what would be created without creating it' },
    { name: 'silent', kind: 'switch', help: 'Output only the issue ID (for scripting)' },
    ...SETTINGS_FLAGS,
  ],
  refused: {
    ...REFUSED,
    file: 'create the issues one by one, or write JSONL and fleet bd import it',
    graph: 'create the issues one by one, or write JSONL and fleet bd import it',
    repo: 'there is one queue for all projects; use --cwd to name the project',
  },
  refusedShort: { f: 'file' },
  async run(call) {
    const title = titleFrom(call)
    refuseTogether(call.flags, TEXT_EXCLUSIVE)
    refuseReadonly(call, 'create')
    const draft = await draftFrom(call, title)
    await checkSections(call, draft)
    if (call.flags.on('dry-run')) {
      const task = imagined(call, draft)
      return call.json ? answerCreated(call, task) : preview(call, task)
    }
    const prefix = 'validation failed: validation failed for issue : '
    const task = await insert(call, draft, { prefix, json: 'stdout' })
    project(call, task)
    if (call.json) return answerCreated(call, task)
    if (call.flags.on('silent')) return call.print(task.id)
    if (!call.quiet) call.print(createdLine(task))
  },
}

/** One line with fleet's settings, where bd prints three lines. */
export function createdLine(task: Pick<Task, 'id' | 'title' | 'metadata'>): string {
  const { cwd, coder, model, on } = settingsOf(task.metadata)
  const given = Object.entries({ cwd, coder, model, on }).filter(([, value]) => value !== undefined)
  return `Created ${task.id}: ${plainLine(task.title)}  [${given.map(([name, value]) => `${name}: ${plainLine(value ?? '')}`).join(', ')}]`
}

/** Has both `.id` (as bd prints) and `.data.id` (as in bd's envelope), so that either `jq` expression works. */
function answerCreated(call: BdCall, task: Task): void {
  const issue = issueJson(task)
  call.answer(call.env['BD_JSON_ENVELOPE'] === '1' ? issue : { ...issue, data: issue })
}

function titleFrom({ args, flags }: BdCall): string {
  const flag = flags.text('title') ?? ''
  const [given] = args
  if (args.length > 1) throw inText(`accepts at most 1 arg(s), received ${args.length}`)
  if (given !== undefined && flag !== '' && given !== flag) {
    const [a, b] = [JSON.stringify(given), JSON.stringify(flag)]
    throw inText(
      `cannot specify different titles as both positional argument and --title flag\n  Positional: ${a}\n  --title:    ${b}`,
    )
  }
  if (given?.startsWith('-') === true && flag === '') {
    const shown = JSON.stringify(given)
    throw inText(
      `title ${shown} looks like a flag (starts with '-').\n  Run 'bd create --help' for available options.\n  To use this title anyway, pass it explicitly: bd create --title=${shown}`,
    )
  }
  const title = given ?? flag
  if (given === undefined && flag === '') throw inText('title required')
  if (title.trim() === '') throw inText('title cannot be empty or whitespace-only')
  return title
}

/** `prefix` starts the error about title or type: bd's `create` and `q` differ, and `q` never prints JSON errors. */
export async function insert(
  call: BdCall,
  draft: TaskDraft,
  { prefix, json }: { prefix: string; json: 'stdout' | 'text' },
): Promise<Task> {
  const problem = titleProblem(draft.title)
  if (problem !== undefined) throw new BdFailure(`${prefix}${problem}`, { json })
  const type = draft.issue_type ?? 'task'
  if (!(await isKnownType(call, type))) throw new BdFailure(`${prefix}invalid issue type: ${type}`, { json })
  try {
    return await call.store.create(withOrigin(draft, call.origin?.task), call.actor)
  } catch (error) {
    if (error instanceof DependencyRefused) {
      const hint = 'nothing was created'
      throw new BdFailure(refusalText(error.edge, error.result), { hint })
    }
    if (error instanceof AppError && error.code === 'conflict') {
      throw new BdFailure(`${draft.id} already exists; use bd update, or bd import for upsert semantics`)
    }
    throw error
  }
}

/** Adds a discovered-from edge, unless the tasks are already linked. */
function withOrigin(draft: TaskDraft, task: string | undefined): TaskDraft {
  const edges = draft.dependencies ?? []
  if (task === undefined || draft.parent === task || edges.some((edge) => edge.on === task)) return draft
  return { ...draft, dependencies: [...edges, { on: task, type: 'discovered-from' }] }
}

/** Counted in bytes, as bd does, so that every task can be exported to bd. */
export function titleProblem(title: string): string | undefined {
  const length = Buffer.byteLength(title)
  return length > TITLE_LIMIT ? `title must be ${TITLE_LIMIT} characters or less (got ${length})` : undefined
}
