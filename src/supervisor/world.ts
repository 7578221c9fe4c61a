import type { RefusedEdit } from '../domain/agent/refused-edit.ts'
import type { Log } from '../domain/fleet/log-event.ts'
import type { Policy } from '../domain/fleet/policy.ts'
import type { Blocker } from '../domain/run/prompt.ts'
import type { Run } from '../domain/run/run.ts'
import type { Task } from '../domain/task/task.ts'
import type { Agents } from '../ports/agents.ts'
import type { Attempts } from '../ports/attempts.ts'
import type { Check } from '../ports/checks.ts'
import type { Coder, CoderTraits } from '../ports/coder.ts'
import type { Hosts } from '../ports/hosts.ts'
import type { Ledger } from '../ports/ledger.ts'
import type { Orders } from '../ports/orders.ts'
import type { Queue } from '../ports/queue.ts'
import type { TaskRecords } from '../ports/task-records.ts'
import type { Workspace } from '../ports/workspace.ts'

/** All that a supervisor needs of the world. Built by app.ts; nothing in this folder names a concrete part. */
export interface World {
  readonly queue: Queue
  /** Where other machines work on the same queue: what travels with its tasks, and what people there ask of this one. */
  readonly records: TaskRecords | undefined
  readonly orders: Orders | undefined
  readonly ledger: Ledger
  readonly agents: Agents
  readonly attempts: Attempts
  readonly workspace: Workspace
  /** In the order they run. */
  readonly checks: readonly Check[]
  /** Only where others share the queue. */
  readonly hosts?: Hosts
  readonly machine: Machine
  readonly log: Log
  readonly clock: SupervisorClock
  /** Who claims: the same name after every restart of this home's supervisor. */
  readonly name: string
  readonly home: string
  /** Of fleet itself. */
  readonly version: string
  /** Whether an agent that is started now gets a pid namespace of its own. */
  namespace(): boolean
  readonly isRoot: boolean
  /** As it is now; the configuration is read again when it changes. */
  policy(): Policy
  coder(name: string): Promise<Coder | Unusable>
  /** In place of one that is at work, and that nobody can use any more. */
  forgottenCoder(name: string, known: Partial<Pick<CoderTraits, 'claim' | 'evidence'>>): Coder
  /** What a program says of its version; undefined: nothing. */
  versionOf(binary: string): Promise<string | undefined>
  /** What a start of that coder costs, in milliseconds of a processor. */
  startCost(coder: string): number
  /** A hand edit of task.json taken in; undefined: there is no such task. Throws AppError for an edit that is wrong. */
  freshTask(id: string): Promise<Task | undefined>
  /** Whether task.json was changed while a run of the task was alive, asked before that is settled. */
  editMeanwhile(task: string): Promise<RefusedEdit | undefined>
  /** Such a change is put aside, and the file says again what the store says. */
  refuseEdit(task: string): Promise<void>
  /** What stands before a task that it waited for: summaries and artifacts for the prompt. */
  blockersOf(task: string): Promise<readonly Blocker[]>
  /** A question was put: also into the task's Q&A.md. */
  asked(
    task: string,
    question: { text: string; options: readonly string[]; suggestion: string | null; at: number },
  ): void
  /** A question was answered elsewhere: the same. */
  answered(task: string, answer: { text: string; at: number }): void
  /** All that the agent of a run is given; `more`: what its coder wants. */
  environmentOf(run: Run, more?: Readonly<Record<string, string>>): Record<string, string>
  /** What `fleet resume` does without a task: whether claiming was paused, and which lanes are tried again. */
  resume(by: string): Promise<{ readonly paused: boolean; readonly lanes: readonly string[] }>
  redact(text: string): string
}

/** A coder that cannot be run as it is, and why. */
export interface Unusable {
  readonly problem: string
}

export interface Machine {
  findProgram(name: string): string | undefined
  /** When what stands at a path, or what it leads to, was last changed or replaced; undefined: nothing is there. */
  changedAt(path: string): number | undefined
  /** Why nobody can work in this directory, or undefined. */
  directoryProblem(path: string): string | undefined
  freeDisk(): number
  freeMemory(): number
  readonly processors: number
  readonly hostName: string
  newId(): string
  chance(): number
}

export interface SupervisorClock {
  /** Milliseconds since 1970; may jump. */
  now(): number
  /** Milliseconds that only grow. */
  monotonic(): number
}
