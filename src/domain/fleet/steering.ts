import { RULES } from '../run/outcome.ts'
import { NOT_WAITING, type TaskState } from '../run/run.ts'
import type { Task } from '../task/task.ts'

/** fleet's reaction when a person pauses, resumes or retries a task. `nothing`: it is in the wanted state already. */
export type Steering =
  /** The supervisor stops the agent, which keeps its session. */
  | { readonly step: 'interrupt' }
  | { readonly step: 'block' }
  /** Only if its status is still `from`. */
  | { readonly step: 'open'; readonly from: string }
  | { readonly step: 'nothing'; readonly why: string }
  | { readonly step: 'refuse'; readonly why: string; readonly hint: string }

export interface SteeringFacts {
  readonly task: Task
  /** An attempt is under way. */
  readonly running: boolean
  /** An agent's question is open. */
  readonly asked: boolean
}

export function pauseTask({ task, running }: SteeringFacts): Steering {
  if (running) return { step: 'interrupt' }
  switch (task.status) {
    case 'open':
      return { step: 'block' }
    case 'blocked':
      return { step: 'nothing', why: 'is blocked already' }
    default:
      return wouldNotStart(task)
  }
}

export function resumeTask({ task, running, asked }: SteeringFacts): Steering {
  if (running) return { step: 'nothing', why: 'is running' }
  if (task.status === 'open') return { step: 'nothing', why: 'is open already' }
  if (task.status !== 'blocked') return wouldNotStart(task)
  return asked ? unanswered(task) : { step: 'open', from: task.status }
}

export function retryTask({ task, running, asked }: SteeringFacts): Steering {
  if (running) return { step: 'refuse', why: 'is running', hint: `fleet kill ${task.id} ends it first` }
  if (task.status !== 'blocked' && task.status !== 'open') return wouldNotStart(task)
  return asked && task.status === 'blocked' ? unanswered(task) : { step: 'open', from: task.status }
}

/** Why there is no agent to kill, and what the person can do instead. */
export function nothingToKill({ id, status, assignee }: Task): { readonly why: string; readonly hint: string } {
  switch (status) {
    case 'open':
      return { why: 'is not running', hint: `fleet pause ${id} keeps it from being started` }
    case 'in_progress':
      return {
        why: `is claimed by ${assignee}, and no fleet agent is working on it`,
        hint: `fleet bd update ${id} --status open --assignee "" takes it back`,
      }
    case 'closed':
      return { why: 'is closed', hint: `fleet show ${id} says how it ended` }
    default:
      return { why: `is ${status}`, hint: `fleet does not start it in this status; fleet show ${id} says why` }
  }
}

function wouldNotStart({ id, status, assignee }: Task): Steering {
  switch (status) {
    case 'closed':
      return { step: 'refuse', why: 'is closed', hint: `fleet bd reopen ${id} opens it again` }
    case 'in_progress':
      return {
        step: 'refuse',
        why: `is claimed by ${assignee}`,
        hint: `fleet bd update ${id} --status open --assignee ""`,
      }
    default:
      return { step: 'refuse', why: `is ${status}`, hint: `fleet bd update ${id} --status open opens it` }
  }
}

/** Silence is never consent. */
function unanswered(task: Task): Steering {
  return { step: 'refuse', why: 'waits for an answer', hint: `fleet answer ${task.id} "..."` }
}

export function withoutWait(state: TaskState): TaskState {
  return { ...state, ...NOT_WAITING, waitedMs: 0 }
}

/** The task waits for its lane's limit or overload, not for its own retry. */
export function waitsForLane({ waiting, coder, lastOutcome }: TaskState, lane: string): boolean {
  return waiting !== null && coder === lane && lastOutcome !== null && RULES[lastOutcome.code].fate === 'wait'
}
