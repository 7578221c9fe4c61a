import { openHomeStore } from '../app.ts'
import { type ConvertedFile, convertConfig } from '../config/convert.ts'
import type { Question, TaskState } from '../domain/run/run.ts'
import { isTaskId } from '../domain/task/id.ts'
import { isObject, settingsOf, type TaskSettings, withSettings } from '../domain/task/settings.ts'
import type { Metadata } from '../domain/task/task.ts'
import { rfc3339 } from '../domain/task/time.ts'
import { pluralize } from '../domain/text/pluralize.ts'
import { entryAt } from '../platform/files/folder.ts'
import type { Home } from '../platform/files/home.ts'
import { Bd } from '../queues/beads/bd.ts'
import { releaseCommand } from '../queues/beads/commands.ts'
import { asked, type LeftTask, leftTask, setRecordsAside } from './left-task.ts'
import type { UntakenBeads } from './untaken-beads.ts'

/** The contents of a home before this fleet took it over. */
export interface TakenOver {
  readonly from: UntakenBeads
  readonly byStatus: Readonly<Record<string, number>>
  readonly config: ConvertedFile | undefined
  /** Claims of the Python fleet's workers, open again. */
  readonly reopened: readonly string[]
  /** Other claims, by holder: a person's, or a worker's that left no folder. They stay. */
  readonly claimed: Readonly<Record<string, readonly string[]>>
  /** Files of tasks that count as absent, each with the reason. */
  readonly unread: readonly string[]
  /** How many tasks have counted failures. */
  readonly failed: number
  /** How many open questions. */
  readonly questions: number
  /** Settings of tasks that this fleet does not have, and how many tasks have them. */
  readonly unused: Readonly<Record<string, number>>
}

/** One line of bd's export. */
interface Line {
  readonly id: string
  readonly status: string
  readonly assignee: string
  readonly metadata: Metadata
  readonly notes: string
  readonly updatedAt: number
  readonly whole: Readonly<Record<string, unknown>>
}

const BY = 'fleet'

/** The queue of the home is beads already. Every step may be repeated. */
export async function takeOver(home: Home, from: UntakenBeads, env: NodeJS.ProcessEnv): Promise<TakenOver> {
  // First, because everything else reads the configuration.
  const config = from === 'python' ? await convertConfig(home) : undefined
  const bd = new Bd({ beads: home.beads, env })
  const lines = linesOf(await bd.read(['export', '--all']))
  const left = new Map(
    lines.filter(({ id }) => hasFolder(home, id)).map(({ id, updatedAt }) => [id, leftTask(home, id, updatedAt)]),
  )
  // Before the claims end: bd ignores a line that is older than its own task.
  const given = settingsToWrite(lines, left)
  if (given !== '') await bd.write({ argv: ['import', '-'], input: given, by: BY })
  // A claim of this fleet's own lost supervisor is reopened by the next one, which bears the same name.
  const { reopened, claimed } = from === 'python' ? sortedClaims(lines, left) : { reopened: [], claimed: {} }
  if (reopened.length > 0) {
    await bd.write(releaseCommand(reopened, BY))
  }
  const questions = await learn(home, lines, { from, left })
  if (from === 'python') for (const [id, task] of left) setRecordsAside(home, id, task)
  return {
    from,
    byStatus: countBy(lines.map(({ status }) => status)),
    config,
    reopened,
    claimed,
    unread: [...left.values()].flatMap(({ unread }) => unread),
    failed: [...left.values()].filter(({ failures }) => failures > 0).length,
    questions,
    unused: countBy(lines.flatMap(({ metadata }) => unusedIn(metadata))),
  }
}

const UNUSED = ['fleet_worker', 'fleet_max_attempt_minutes']

function unusedIn(metadata: Metadata): string[] {
  const unknown = metadata['fleet_isolation'] !== undefined && settingsOf(metadata).isolation === undefined
  return [...(unknown ? ['fleet_isolation'] : []), ...UNUSED.filter((key) => metadata[key] !== undefined)]
}

function linesOf(text: string): Line[] {
  return text.split('\n').flatMap((each): Line[] => {
    const whole: unknown = each.startsWith('{') ? JSON.parse(each) : undefined
    if (!isObject(whole) || typeof whole['id'] !== 'string' || !isTaskId(whole['id'])) return []
    const { id, status, assignee, notes, metadata, updated_at } = whole
    return [
      {
        id,
        status: String(status),
        assignee: typeof assignee === 'string' ? assignee : '',
        notes: typeof notes === 'string' ? notes : '',
        metadata: isObject(metadata) ? metadata : {},
        updatedAt: Date.parse(String(updated_at)) || 0,
        whole,
      },
    ]
  })
}

function hasFolder(home: Home, id: string): boolean {
  return entryAt(home.task(id))?.kind === 'folder'
}

/** A worker of the Python fleet left a folder of at least one task that it held; all its claims are dead. */
function sortedClaims(
  lines: readonly Line[],
  left: ReadonlyMap<string, LeftTask>,
): Pick<TakenOver, 'reopened' | 'claimed'> {
  const held = lines.filter(({ status }) => status === 'in_progress')
  const workers = new Set(held.filter(({ id }) => left.has(id)).map(({ assignee }) => assignee))
  workers.delete('')
  const reopened: string[] = []
  const claimed: Record<string, string[]> = Object.create(null)
  for (const { id, assignee } of held) {
    if (left.has(id) || workers.has(assignee)) reopened.push(id)
    else claimed[assignee] = [...(claimed[assignee] ?? []), id]
  }
  return { reopened, claimed }
}

/** Settings that only task.json has, as lines for `bd import`: one call for all tasks. */
function settingsToWrite(lines: readonly Line[], left: ReadonlyMap<string, LeftTask>): string {
  return lines
    .flatMap(({ id, metadata, updatedAt, whole }) => {
      const known = settingsOf(metadata)
      const missing = Object.entries(left.get(id)?.settings ?? {}).filter(
        ([name]) => known[name as keyof TaskSettings] === undefined,
      )
      if (missing.length === 0) return []
      const next = withSettings(metadata, Object.fromEntries(missing))
      // bd takes a line that is newer than its own.
      const newer = rfc3339(updatedAt + 1000)
      return [`${JSON.stringify({ ...whole, metadata: next, updated_at: newer })}\n`]
    })
    .join('')
}

/** Failures, questions and reasons belong to the ledger. Returns how many questions are open. */
async function learn(
  home: Home,
  lines: readonly Line[],
  { from, left }: { from: UntakenBeads; left: ReadonlyMap<string, LeftTask> },
): Promise<number> {
  await using store = await openHomeStore(home, { takingOver: true })
  let open = 0
  for (const { id, status, notes, updatedAt } of lines) {
    const { failures = 0, attempts = 0, questions = [] } = left.get(id) ?? {}
    const known = status === 'blocked' ? openQuestion(id, { notes, questions, at: updatedAt }) : answered(questions)
    const unanswered = known.filter(({ answeredAt }) => answeredAt === null).length
    const isStuck = from === 'python' && status === 'blocked' && unanswered === 0
    if (failures === 0 && attempts === 0 && known.length === 0 && !isStuck) continue
    if (store.ledger.runsOf(id).length > 0) continue
    open += unanswered
    // An interrupted take-over may have learnt more: it has set some files aside since.
    const before = store.ledger.stateOf(id)
    const state = { ...before, failures, attempts: Math.max(before.attempts, attempts, failures) }
    store.ledger.learn(isStuck ? { ...state, ...stuck(failures) } : state, known)
  }
  // Reading brings the mirror up to date, so that the first command finds every task.
  for await (const _task of store.queue.find({ limit: 1 })) break
  return open
}

/** Without a reason, `fleet tasks` would take it for a task that a person blocked on purpose, and not show it. */
function stuck(failures: number): Pick<TaskState, 'waiting' | 'waitingKind'> {
  // Without a failure, a person may have blocked it.
  const how = failures === 0 ? 'under the Python fleet' : `by the Python fleet after ${pluralize(failures, 'failure')}`
  return { waiting: `blocked ${how}`, waitingKind: 'refused' }
}

/** A question without an answer is open only while the task waits for one. */
function answered(questions: readonly Question[]): readonly Question[] {
  return questions.filter(({ answeredAt }) => answeredAt !== null)
}

/** Some agents only write it into the notes. */
function openQuestion(
  id: string,
  { notes, questions, at }: { notes: string; questions: readonly Question[]; at: number },
): readonly Question[] {
  const [, inNotes] = /(?:^|\n)QUESTION:\s*(.+)/.exec(notes) ?? []
  if (inNotes === undefined || questions.at(-1)?.answeredAt === null) return questions
  return questions.length > 0 ? questions : [asked(id, { n: 1, text: inNotes, at })]
}

function countBy(words: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const word of words) counts[word] = (counts[word] ?? 0) + 1
  return counts
}
