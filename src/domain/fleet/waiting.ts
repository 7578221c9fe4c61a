import type { Lane, Question, TaskState } from '../run/run.ts'
import type { Task } from '../task/task.ts'
import { rfc3339 } from '../task/time.ts'
import { blockedBecause, type LastRun, WAITS_FOR_PEOPLE } from './attention.ts'
import type { Elsewhere } from './claimer.ts'
import { roomOn } from './lane.ts'
import { type RefusedModel, roomForModel } from './refused-model.ts'
import type { UnreviewedProject } from './unreviewed.ts'
import type { MachineWait } from './waiting-for-machine.ts'

/** Why no agent is working on a task. */
export type Waiting =
  | { readonly kind: 'closed'; readonly at: string; readonly reason: string }
  | { readonly kind: 'claimed'; readonly by: string; readonly since: string | null }
  /** An agent on another machine is working on it. */
  | { readonly kind: 'elsewhere'; readonly machine: string; readonly by: string }
  /** An agent's question is open. */
  | { readonly kind: 'question'; readonly question: string }
  /** `reason`: why fleet blocked it, if fleet did. */
  | {
      readonly kind: 'status'
      readonly status: string
      readonly label: string | undefined
      readonly reason: string | undefined
    }
  | { readonly kind: 'deferred'; readonly until: string | undefined }
  | { readonly kind: 'blocked'; readonly by: readonly string[] }
  | { readonly kind: 'no-work'; readonly type: string }
  | { readonly kind: 'assigned'; readonly to: string }
  | MachineWait
  | { readonly kind: 'no-supervisor' }
  /** `fleet pause` stopped all claims. */
  | { readonly kind: 'paused'; readonly by: string; readonly at: number }
  /** This machine does not have something that every run needs. */
  | { readonly kind: 'lacks'; readonly reason: string }
  | {
      readonly kind: 'lane'
      readonly lane: string
      readonly state: 'paused' | 'down'
      readonly until: number | null
      readonly reason: string
    }
  /** Its lane recovers and takes no more agents now. */
  | {
      readonly kind: 'cap'
      readonly lane: string
      readonly cap: number
      readonly running: number
      readonly reason: string
    }
  /** The pause of its lane is over, and a trial run of another task shows whether the lane works. */
  | { readonly kind: 'trial'; readonly lane: string; readonly reason: string }
  /** Its coder has refused its model. */
  | { readonly kind: 'model'; readonly lane: string; readonly model: string; readonly reason: string }
  /** As many tasks of its project wait for a review as may. */
  | { readonly kind: 'unreviewed'; readonly project: string; readonly waiting: number; readonly most: number }
  /** Another task that is running has its lock. `machine`: the other machine on which it runs. */
  | { readonly kind: 'lock'; readonly lock: string; readonly by: string; readonly machine: string | undefined }
  /** Its project has as many agents as it may. */
  | { readonly kind: 'project'; readonly project: string; readonly running: number; readonly most: number }
  /** The supervisor ends when its agents do, and claims nothing more. */
  | { readonly kind: 'leaving' }
  /** Its sandbox does not work on this machine. */
  | { readonly kind: 'sandbox'; readonly reason: string }
  /** Fleet delays it: a retry, a limit. */
  | { readonly kind: 'later'; readonly reason: string; readonly until: number }
  | { readonly kind: 'slots'; readonly running: number; readonly most: number }
  | { readonly kind: 'next' }

export interface WaitingContext {
  readonly blockedBy: readonly string[]
  /** The store's answer, which takes parents and their deferrals into account. */
  readonly ready: boolean
  readonly isWork: boolean
  readonly now: number
  readonly fleet: FleetContext
}

/** Facts from the ledger. */
export interface FleetContext {
  readonly supervisor: boolean
  /** Why no machine can take it, if so. */
  readonly machine: MachineWait | undefined
  /** The other machine whose agent is working on it. */
  readonly elsewhere?: Elsewhere | undefined
  readonly state: TaskState
  readonly lastRun: LastRun | undefined
  /** Its open question. */
  readonly question: Question | undefined
  /** The lane it would run on. */
  readonly lane: Lane | undefined
  /** The runs on that lane. */
  readonly onLane: readonly { readonly lane: string; readonly model: string; readonly startedAt: number }[]
  /** The refusal of the model it would run with. */
  readonly refusedModel: RefusedModel | undefined
  readonly paused: { readonly by: string; readonly at: number } | undefined
  /** The only supervisor that could take it is draining or stopping. */
  readonly leaving?: boolean
  /** The first of its locks that another running task has. */
  readonly lock?: { readonly lock: string; readonly by: string; readonly machine: string | undefined } | undefined
  /** Why its sandbox does not work, if it may not run without one. */
  readonly noSandbox?: string | undefined
  /** Its project, if that has as many agents as it may. */
  readonly project?: { readonly project: string; readonly running: number; readonly most: number } | undefined
  /** Its project, if that waits for reviews. */
  readonly unreviewed?: UnreviewedProject | undefined
  /** Something that runs need and this machine does not have, where no other machine can take the task. */
  readonly lacks?: string | undefined
  readonly running: number
  readonly most: number
}

/** The reason to remove first: a person's action comes before its consequences. */
export function waitingFor(task: Task, at: WaitingContext): Waiting {
  const now = rfc3339(at.now)
  switch (task.status) {
    case 'closed':
      return { kind: 'closed', at: task.closed_at ?? '', reason: task.close_reason }
    case 'in_progress':
      return claimed(task, at.fleet.elsewhere)
    case 'deferred':
      // Its date has come, so it counts as open; the next write updates the status.
      if (task.defer_until !== null && task.defer_until <= now) break
      return { kind: 'deferred', until: task.defer_until ?? undefined }
    case 'open':
      break
    default:
      return stopped(task, at.fleet)
  }
  if (!at.isWork) return { kind: 'no-work', type: task.issue_type }
  if (at.blockedBy.length > 0) return { kind: 'blocked', by: at.blockedBy }
  if (task.defer_until !== null && task.defer_until > now) return { kind: 'deferred', until: task.defer_until }
  const later = waitsForTime(at.fleet.state, at.now)
  // A task that fleet delays is not ready either. `inFleet` reports that, after the reasons that affect all tasks.
  if (!at.ready && later === undefined) {
    return task.pinned
      ? { kind: 'status', status: 'pinned', label: undefined, reason: undefined }
      : { kind: 'deferred', until: undefined }
  }
  if (task.assignee !== '') return { kind: 'assigned', to: task.assignee }
  return inFleet(at, later)
}

function claimed(task: Task, elsewhere: Elsewhere | undefined): Waiting {
  if (elsewhere !== undefined) return { kind: 'elsewhere', machine: elsewhere.machine, by: elsewhere.host }
  return { kind: 'claimed', by: task.assignee, since: task.started_at }
}

function stopped(task: Task, { question, state, lastRun }: FleetContext): Waiting {
  if (task.status === 'blocked' && question !== undefined) return { kind: 'question', question: question.text }
  const reason = task.status === 'blocked' ? blockedBecause({ state, lastRun, labels: task.labels }) : undefined
  const label = task.labels.find((each) => WAITS_FOR_PEOPLE.includes(each))
  return { kind: 'status', status: task.status, label, reason }
}

function inFleet({ fleet, now }: WaitingContext, later: Waiting | undefined): Waiting {
  if (fleet.machine !== undefined) return fleet.machine
  if (!fleet.supervisor) return { kind: 'no-supervisor' }
  if (fleet.paused !== undefined) return { kind: 'paused', by: fleet.paused.by, at: fleet.paused.at }
  if (fleet.lacks !== undefined) return { kind: 'lacks', reason: fleet.lacks }
  if (fleet.noSandbox !== undefined) return { kind: 'sandbox', reason: fleet.noSandbox }
  const { lane } = fleet
  if (lane !== undefined && lane.state !== 'up' && (lane.state === 'down' || (lane.until ?? now + 1) > now)) {
    return {
      kind: 'lane',
      lane: lane.name,
      state: lane.state,
      until: lane.until,
      reason: lane.reason ?? lane.code ?? '',
    }
  }
  if (later !== undefined) return later
  if (fleet.leaving === true) return { kind: 'leaving' }
  if (fleet.unreviewed !== undefined) return { kind: 'unreviewed', ...fleet.unreviewed }
  const held = heldByLane(fleet, now)
  if (held !== undefined) return held
  if (fleet.lock !== undefined) return { kind: 'lock', ...fleet.lock }
  if (fleet.project !== undefined) return { kind: 'project', ...fleet.project }
  if (fleet.running >= fleet.most) return { kind: 'slots', running: fleet.running, most: fleet.most }
  return { kind: 'next' }
}

function heldByLane({ lane, onLane, refusedModel }: FleetContext, now: number): Waiting | undefined {
  if (refusedModel !== undefined && roomForModel(refusedModel, onLane) <= 0) {
    const { lane, model, reason } = refusedModel
    return { kind: 'model', lane, model, reason }
  }
  if (lane === undefined || roomOn(lane, { running: onLane, now }) > 0) return undefined
  const reason = lane.reason ?? lane.code ?? ''
  if (lane.cap === undefined || lane.state !== 'up') return { kind: 'trial', lane: lane.name, reason }
  return { kind: 'cap', lane: lane.name, cap: lane.cap, running: onLane.length, reason }
}

/** Without a time, the task waits for its lane. */
function waitsForTime({ waiting, waitingUntil }: TaskState, now: number): Waiting | undefined {
  if (waiting === null || waitingUntil === null || waitingUntil <= now) return undefined
  return { kind: 'later', reason: waiting, until: waitingUntil }
}
