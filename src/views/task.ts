import { type HomeStore, openHomeStore } from '../app.ts'
import type { Note } from '../domain/agent/note.ts'
import {
  assignmentWithoutDefaults,
  type Chosen,
  type KnownAssignment,
  keptAssignment,
} from '../domain/fleet/assignment.ts'
import { runningElsewhere } from '../domain/fleet/claimer.ts'
import { type FleetContext, type Waiting, waitingFor } from '../domain/fleet/waiting.ts'
import type { Question, Run } from '../domain/run/run.ts'
import { settingsOf } from '../domain/task/settings.ts'
import { isWork, type Task } from '../domain/task/task.ts'
import type { Home } from '../platform/files/home.ts'
import { supervisorAlive } from '../platform/sqlite/supervisor-lock.ts'
import type { TaskStore } from '../ports/task-store.ts'
import { notesOf } from '../store/notes.ts'
import { refusedEdit } from '../store/refused-edit.ts'
import { policyInForce } from './configuration.ts'
import { findTask } from './find-task.ts'
import { detailsJson } from './json/issue-details.ts'
import { seatsFor } from './seats.ts'
import { awaitedQuestion, knownOf } from './task-knowledge.ts'

/** One task: its settings, its attempts, and why it is not running. */
export interface TaskView {
  readonly task: Task
  readonly cwd: Chosen<string | undefined>
  readonly assignment: KnownAssignment
  /** Why the configuration, and with it the defaults, cannot be read. */
  readonly configurationProblem: string | undefined
  /** Its script, where that is not the description. */
  readonly command: string | undefined
  /** The machine it asks for. */
  readonly on: string | undefined
  readonly now: number
  /** The attempt under way. */
  readonly running: Run | undefined
  readonly waiting: Waiting
  readonly attempts: readonly Run[]
  /** The number of attempts without a record here: on other machines, or before this home had a record. */
  readonly attemptsElsewhere: number
  /** Whether other machines use the queue. */
  readonly isShared: boolean
  readonly question: Question | undefined
  /** The file with an edit of task.json that fleet refused. */
  readonly refusedEdit: string | undefined
  /** The newest notes of its agents, oldest first. */
  readonly notes: readonly Note[]
}

/** The number of notes shown; the task's log has all of them. */
const NOTES = 5

export async function taskView(home: Home, text: string): Promise<TaskView> {
  await using store = await openHomeStore(home, { readOnly: true })
  return await viewOf(home, store, await findTask(store.queue, text))
}

/** The same, with the task as `bd show --json` prints it. */
export async function taskViewWithIssue(
  home: Home,
  text: string,
): Promise<{ readonly view: TaskView; readonly issue: Readonly<Record<string, unknown>> }> {
  await using store = await openHomeStore(home, { readOnly: true })
  const task = await findTask(store.queue, text)
  return { view: await viewOf(home, store, task), issue: await detailsJson(store.queue, task) }
}

async function viewOf(home: Home, store: HomeStore, task: Task): Promise<TaskView> {
  const { queue, ledger } = store
  const settings = settingsOf(task.metadata)
  const known = (await knownOf(store, [task.id]))(task.id)
  const { state, last } = known
  const question = awaitedQuestion(task, known)
  const attempts = ledger.runsOf(task.id)
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
    on: settings.on,
    now: Date.now(),
    running: ledger.openRunOf(task.id),
    attempts,
    // Other machines record an attempt when it ends, so the one under way is not in their count.
    attemptsElsewhere: Math.max(state.attempts, attempts.at(-1)?.attempt ?? 0) - attempts.length,
    isShared: queue.hosts !== undefined,
    question,
    refusedEdit: refusedEdit(home, task.id),
    notes: notesOf(home, task.id, { most: NOTES }),
    waiting: await waitingOf(queue, task, {
      ...seats,
      elsewhere: runningElsewhere(task, (await queue.hosts?.all()) ?? []),
      state,
      lastRun: last,
      question,
      lane: ownAlone ? ledger.lanes().find((lane) => lane.name === assignment.coder.value) : undefined,
      paused: ownAlone ? ledger.paused() : undefined,
    }),
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
