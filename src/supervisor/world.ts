import type { Log } from '../domain/fleet/log-event.ts'
import type { Policy } from '../domain/fleet/policy.ts'
import type { Agents } from '../ports/agents.ts'
import type { Attempts } from '../ports/attempts.ts'
import type { Check } from '../ports/checks.ts'
import type { SupervisorClock } from '../ports/clock.ts'
import type { Coders } from '../ports/coders.ts'
import type { DeadMan } from '../ports/dead-man.ts'
import type { Environment } from '../ports/environment.ts'
import type { HomeFiles } from '../ports/home-files.ts'
import type { Hosts } from '../ports/hosts.ts'
import type { LandingPlace } from '../ports/landing-place.ts'
import type { Ledger } from '../ports/ledger.ts'
import type { Machine } from '../ports/machine.ts'
import type { Orders } from '../ports/orders.ts'
import type { OutsideCommands } from '../ports/outside-commands.ts'
import type { Questions } from '../ports/questions.ts'
import type { Queue } from '../ports/queue.ts'
import type { Sandbox } from '../ports/sandbox.ts'
import type { Steering } from '../ports/steering.ts'
import type { StoreWatch } from '../ports/store-watch.ts'
import type { TaskFiles } from '../ports/task-files.ts'
import type { TaskRecords } from '../ports/task-records.ts'
import type { TaskStore } from '../ports/task-store.ts'
import type { Verifier } from '../ports/verifier.ts'
import type { Workspace } from '../ports/workspace.ts'
import type { Worktrees } from '../ports/worktrees.ts'

/** Everything a supervisor needs from outside. supervise.ts builds it; nothing in this folder names a concrete part. */
export interface World {
  /** The claimer: the same name after every restart of this home's supervisor. */
  readonly name: string
  readonly home: string
  /** The version of fleet. */
  readonly version: string

  readonly queue: Queue & Pick<TaskStore, 'find'>
  readonly ledger: Ledger
  /** The files of both, as far as they are in the home. */
  readonly stores: StoreWatch
  /** Only where other machines share the queue. */
  readonly records: TaskRecords | undefined
  readonly orders: Orders | undefined
  readonly hosts?: Hosts

  readonly coders: Coders
  readonly agents: Agents
  readonly sandbox: Sandbox
  /** Fleet's own commands, for agents that cannot reach the home. */
  readonly outside: OutsideCommands
  /** Only where other machines share the queue, and agents are started. */
  readonly deadMan?: DeadMan
  readonly attempts: Attempts
  readonly environment: Environment
  readonly workspace: Workspace
  readonly worktrees: Worktrees
  /** In the order they run. */
  readonly checks: readonly Check[]
  /** For the trees that landings make. */
  readonly verifier: Verifier
  readonly landing: LandingPlace
  readonly taskFiles: TaskFiles
  readonly homeFiles: HomeFiles
  readonly questions: Questions

  readonly steering: Steering
  readonly machine: Machine
  readonly clock: SupervisorClock
  readonly log: Log
  /** The policy as it is now: it changes with the configuration. */
  policy(): Policy
}
