import { type HomeStore, openHomeStore } from '../app.ts'
import type { Message } from '../domain/agent/message.ts'
import type { Note } from '../domain/agent/note.ts'
import {
  assignmentWithoutDefaults,
  type Chosen,
  type KnownAssignment,
  keptAssignment,
} from '../domain/fleet/assignment.ts'
import { runningElsewhere } from '../domain/fleet/claimer.ts'
import type { Policy } from '../domain/fleet/policy.ts'
import { refusalOf } from '../domain/fleet/refused-model.ts'
import type { UnreviewedProject } from '../domain/fleet/unreviewed.ts'
import { type FleetContext, type Waiting, waitingFor } from '../domain/fleet/waiting.ts'
import { NEEDS_LANDING } from '../domain/landing/landing.ts'
import type { LandingOnReceipt } from '../domain/landing/landing-on-receipt.ts'
import { NEEDS_REVIEW, type Review } from '../domain/run/review.ts'
import type { Question, Run } from '../domain/run/run.ts'
import { type Spent, spentBy } from '../domain/run/spent.ts'
import type { Worktree } from '../domain/run/worktree.ts'
import { locksOf } from '../domain/task/lock.ts'
import { settingsOf, type TaskSettings } from '../domain/task/settings.ts'
import { isWork, type Task } from '../domain/task/task.ts'
import type { Home } from '../platform/files/home.ts'
import { account } from '../platform/runtime/machine.ts'
import { supervisorAlive } from '../platform/sqlite/supervisor-lock.ts'
import type { Ledger } from '../ports/ledger.ts'
import type { TaskStore } from '../ports/task-store.ts'
import { notesOf } from '../store/notes.ts'
import { type PendingEdit, pendingEdit } from '../store/pending-edit.ts'
import { refusedEdit } from '../store/refused-edit.ts'
import { policyInForce } from './configuration.ts'
import { type DoingNow, doingNow } from './doing-now.ts'
import { findTask } from './find-task.ts'
import { detailsJson } from './json/issue-details.ts'
import { type AwaitedReviewer, awaitedReviewer } from './review/awaited-reviewer.ts'
import { heldProjects } from './review/unreviewed.ts'
import { seatsFor } from './seats.ts'
import { isLeaving, lackOf } from './supervisor.ts'
import { awaitedQuestion, knownOf } from './task-knowledge.ts'
import { type Verifying, verifyingNow } from './verifying.ts'

/** One task: its settings, its attempts, and why it is not running. */
export interface TaskView {
  readonly task: Task
  readonly cwd: Chosen<string | undefined>
  readonly assignment: KnownAssignment
  /** Why the configuration, and with it the defaults, cannot be read. */
  readonly configurationProblem: string | undefined
  /** Its script, where that is not the description. */
  readonly command: string | undefined
  /** The task's own, in place of the project's. */
  readonly verify: string | undefined
  readonly closeAt: string | undefined
  /** Where its work will be, as the task says. */
  readonly evidence: string | undefined
  /** Its own, in place of the project's: patterns, and `true` or `false`. */
  readonly scope: string | undefined
  readonly readOnly: string | undefined
  /** The task's own, in place of the project's. */
  readonly isolation: string | undefined
  readonly target: string | undefined
  /** The names of its locks. */
  readonly locks: readonly string[]
  /** What confines its agent; undefined: the configuration cannot be read. */
  readonly sandbox: string | undefined
  /** Its worktree; undefined: it never had one. */
  readonly worktree: Worktree | undefined
  /** The machine it asks for. */
  readonly on: string | undefined
  readonly now: number
  /** The attempt under way. */
  readonly running: Run | undefined
  readonly waiting: Waiting
  readonly attempts: readonly Run[]
  /** The agent's present work, while an attempt is under way. */
  readonly doing: DoingNow | undefined
  /** The command that it is being verified with. */
  readonly verifying?: Verifying | undefined
  /** The reviewer that it waits for. */
  readonly awaits?: AwaitedReviewer | undefined
  /** The sum over the attempts that have ended on this machine. */
  readonly spent: Spent
  /** The number of attempts without a record here: on other machines, or before this home had a record. */
  readonly attemptsElsewhere: number
  /** Whether other machines use the queue. */
  readonly isShared: boolean
  readonly question: Question | undefined
  /** Questions that its agents asked here and did not wait for, oldest first. */
  readonly unawaited: readonly Question[]
  /** The file with an edit of task.json that fleet refused. */
  readonly refusedEdit: string | undefined
  /** An edit of task.json by hand that fleet has not taken in yet. */
  readonly pendingEdit: PendingEdit | undefined
  /** By attempt, the files that are not as fleet left them; only attempts that have some. */
  readonly altered: ReadonlyMap<number, readonly string[]>
  /** Its last landing of a commit, or what came back; undefined: it never came so far here. */
  readonly landing?: LandingOnReceipt | undefined
  /** People's decisions about its work here, oldest first. */
  readonly reviews: readonly Review[]
  /** What people told its agents from here, oldest first. */
  readonly messages: readonly Message[]
  /** The newest notes of its agents, oldest first. */
  readonly notes: readonly Note[]
}

/** The number of notes shown; the task's log has all of them. */
const NOTES = 5

export async function taskView(home: Home, text: string): Promise<TaskView> {
  await using store = await openHomeStore(home, { readOnly: true })
  return await taskViewIn(home, store, await findTask(store.queue, text))
}

/** The same, with the task as `bd show --json` prints it. */
export async function taskViewWithIssue(
  home: Home,
  text: string,
): Promise<{ readonly view: TaskView; readonly issue: Readonly<Record<string, unknown>> }> {
  await using store = await openHomeStore(home, { readOnly: true })
  const task = await findTask(store.queue, text)
  return { view: await taskViewIn(home, store, task), issue: await detailsJson(store.queue, task) }
}

/** In a store that is open already. */
export async function taskViewIn(home: Home, store: HomeStore, task: Task): Promise<TaskView> {
  const { queue, ledger } = store
  const settings = settingsOf(task.metadata)
  const known = (await knownOf(store, [task.id]))(task.id)
  const { state, last } = known
  const question = awaitedQuestion(task, known)
  const attempts = ledger.runsOf(task.id)
  const running = ledger.openRunOf(task.id)
  const holder = supervisorAlive(home)
  const { policy, problem } = await policyInForce(home, holder)
  const assignment =
    policy === undefined
      ? assignmentWithoutDefaults(settings, state)
      : keptAssignment(policy.assignment(settings), state)
  const supervised = holder !== undefined
  const { ownAlone, ...seats } = await seatsFor(task.metadata, { store, policy, supervised })
  return {
    task,
    cwd: { value: settings.cwd, given: settings.cwd !== undefined },
    assignment,
    configurationProblem: problem,
    command: settings.command,
    verify: settings.verify,
    closeAt: settings.close_at,
    evidence: settings.evidence,
    scope: settings.scope,
    readOnly: settings.read_only,
    isolation: settings.isolation,
    target: settings.target,
    locks: locksOf(task.metadata),
    sandbox: policy?.sandbox(settings).mode ?? settings.sandbox,
    worktree: ledger.worktreeOf(task.id),
    on: settings.on,
    now: Date.now(),
    running,
    doing: running === undefined ? undefined : doingNow(home, running),
    verifying: running === undefined ? undefined : verifyingNow(ledger, running),
    awaits: running === undefined ? undefined : awaitedReviewer(ledger, policy, running),
    attempts,
    spent: spentBy(attempts),
    // Other machines record an attempt when it ends, so the one under way is not in their count.
    attemptsElsewhere: Math.max(state.attempts, attempts.at(-1)?.attempt ?? 0) - attempts.length,
    isShared: queue.hosts !== undefined,
    question,
    unawaited: unawaitedQuestions(known.questions, attempts),
    refusedEdit: refusedEdit(home, task.id),
    pendingEdit: await pendingEdit(home, task, store.record),
    altered: await alteredIn(home, ledger, attempts),
    landing: lastLanding(ledger, attempts),
    reviews: ledger.reviews.of(task.id),
    messages: ledger.messages.of(task.id),
    notes: notesOf(home, task.id, { most: NOTES }),
    waiting: await waitingOf(queue, task, {
      ...seats,
      elsewhere: runningElsewhere(task, (await queue.hosts?.all()) ?? []),
      state,
      lastRun: last,
      question,
      ...laneFacts(ledger, { lane: assignment.coder.value ?? '', model: assignment.model.value ?? '' }, ownAlone),
      leaving: ownAlone && holder !== undefined && isLeaving(holder),
      noSandbox: ownAlone ? await missingSandbox(policy, settings) : undefined,
      lock: await heldLock(queue, task),
      project: ownAlone ? fullProject(ledger, { policy, cwd: settings.cwd }) : undefined,
      paused: ownAlone ? ledger.paused() : undefined,
      unreviewed: ownAlone ? await heldForReviews(store, { policy, cwd: settings.cwd }) : undefined,
      lacks: ownAlone ? lackOf(home, holder) : undefined,
    }),
  }
}

/** The last attempt's; an earlier one's until that has one. */
function lastLanding(ledger: Ledger, attempts: readonly Run[]): LandingOnReceipt | undefined {
  const run = attempts.findLast(({ outcome }) => outcome?.code === NEEDS_LANDING || outcome?.code === NEEDS_REVIEW)
  return run && ledger.recordsOf(run.id).receipt?.landing
}

/** The number of attempts whose files are compared; older ones seldom matter. */
const COMPARED = 10

async function alteredIn(
  home: Home,
  ledger: Ledger,
  attempts: readonly Run[],
): Promise<ReadonlyMap<number, readonly string[]>> {
  const altered = new Map<number, readonly string[]>()
  if (attempts.length === 0) return altered
  const { alteredFiles } = await import('./altered-files.ts')
  for (const run of attempts.slice(-COMPARED)) {
    const files = await alteredFiles(home, ledger, run)
    if (files.length > 0) altered.set(run.attempt, files)
  }
  return altered
}

/** The first of its locks that another task has. */
async function heldLock(queue: HomeStore['queue'], { id, metadata }: Task): Promise<FleetContext['lock']> {
  const needs = locksOf(metadata)
  if (needs.length === 0) return undefined
  const held = (await queue.locksHeld()).find((each) => each.task !== id && needs.includes(each.lock))
  if (held === undefined) return undefined
  const elsewhere = runningElsewhere({ status: 'in_progress', assignee: held.by }, (await queue.hosts?.all()) ?? [])
  return { lock: held.lock, by: held.task, machine: elsewhere?.machine }
}

async function missingSandbox(policy: Policy | undefined, settings: TaskSettings): Promise<string | undefined> {
  const { mode, network = 'on' } = policy?.sandbox(settings) ?? {}
  if (mode !== 'required') return undefined
  const { trySandbox } = await import('../platform/sandbox/probe.ts')
  const tried = await trySandbox(network, { env: process.env, isRoot: account().isRoot })
  return 'fails' in tried ? tried.fails : undefined
}

function fullProject(
  ledger: Ledger,
  { policy, cwd }: { policy: Policy | undefined; cwd: string | undefined },
): FleetContext['project'] {
  const limit = policy?.projectCap(cwd)
  if (policy === undefined || limit === undefined) return undefined
  const running = ledger.openRuns().filter((run) => policy.projectCap(run.project)?.path === limit.path).length
  return running < limit.cap ? undefined : { project: limit.path, running, most: limit.cap }
}

async function heldForReviews(
  store: HomeStore,
  { policy, cwd }: { policy: Policy | undefined; cwd: string | undefined },
): Promise<UnreviewedProject | undefined> {
  const limit = policy?.maxUnreviewed(cwd)
  return limit && (await heldProjects(store, policy)).find(({ project }) => project === limit.path)
}

/** An agent that asks and waits ends with the outcome `question`. */
function unawaitedQuestions(questions: readonly Question[], attempts: readonly Run[]): readonly Question[] {
  return questions.filter((question) => {
    const outcome = attempts.find(({ id }) => id === question.run)?.outcome?.code
    return question.answeredAt === null && outcome !== undefined && outcome !== 'question'
  })
}

/** Where another machine can take the task, the lanes of this home do not delay it. */
function laneFacts(
  ledger: Ledger,
  on: { readonly lane: string; readonly model: string },
  ownAlone: boolean,
): Pick<FleetContext, 'lane' | 'onLane' | 'refusedModel'> {
  if (!ownAlone) return { lane: undefined, onLane: [], refusedModel: undefined }
  const onLane = ledger.openRuns().filter(({ lane }) => lane === on.lane)
  return {
    lane: ledger.lanes().find(({ name }) => name === on.lane),
    onLane: onLane.map(({ lane, model, startedAt }) => ({ lane, model: model ?? '', startedAt })),
    refusedModel: refusalOf(ledger.refusedModels(), on),
  }
}

async function waitingOf(store: TaskStore, task: Task, fleet: FleetContext): Promise<Waiting> {
  const [blocked] = await store.blocked({ ids: [task.id] })
  return waitingFor(task, {
    blockedBy: blocked?.blockedBy ?? [],
    ready: (await store.count({ ids: [task.id], ready: true })) > 0,
    isWork: isWork(task.issue_type),
    now: Date.now(),
    fleet,
  })
}
