import { RULES } from '../run/outcome.ts'
import type { TaskState } from '../run/run.ts'
import type { Task } from '../task/task.ts'

/** What a person's word to one task comes to. `nothing`: it is as they want it already. */
export type Steering =
  /** Its agent is stopped by the supervisor, and keeps its session. */
  | { readonly step: 'interrupt' }
  | { readonly step: 'block' }
  /** Only if it still is as it was seen. */
  | { readonly step: 'open'; readonly from: string }
  | { readonly step: 'nothing'; readonly why: string }
  | { readonly step: 'refuse'; readonly why: string; readonly hint: string }

export interface SteeringFacts {
  readonly task: Task
  /** An attempt of it is under way. */
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

/** Why there is no agent of it to end, and what a person who wanted to end one can do instead. */
export function nothingToKill({ id, status, assignee }: Task): { readonly why: string; readonly hint: string } {
  switch (status) {
    case 'open':
      return { why: 'is not running', hint: `fleet pause ${id} keeps it from being started` }
    case 'in_progress':
      return {
        why: `is claimed by ${assignee}, and no agent of fleet is at work on it`,
        hint: `fleet bd update ${id} --status open --assignee "" takes it back`,
      }
    case 'closed':
      return { why: 'is closed', hint: `fleet show ${id} says how it ended` }
    default:
      return { why: `is ${status}`, hint: `nothing starts it as it is; fleet show ${id} says why` }
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
  return { ...state, waiting: null, waitingUntil: null, waitedMs: 0 }
}

/** It waits for a limit or an overload of its lane to pass, and not for a retry of its own. */
export function waitsForLane({ waiting, coder, lastOutcome }: TaskState, lane: string): boolean {
  return waiting !== null && coder === lane && lastOutcome !== null && RULES[lastOutcome.code].fate === 'wait'
}
