import { NEEDS_LANDING } from '../landing/landing.ts'
import type { Outcome } from '../run/outcome.ts'
import type { Run } from '../run/run.ts'
import type { Task } from '../task/task.ts'

/** How a message reaches the agent of a task. */
export type Reach =
  /** Before its next tool, or at the end of its turn. */
  | 'at-work'
  /** In the prompt of its next attempt. */
  | 'next-prompt'
  /** Its turn was interrupted, and its session goes on with it. */
  | 'interrupted'

export type Telling =
  | { readonly step: 'tell'; readonly reach: Reach }
  | { readonly step: 'refuse'; readonly why: string; readonly hint: string }

export interface TellingFacts {
  readonly task: Task
  /** Nothing reads: the task is a script. */
  readonly isScript: boolean
  /** Its run: with hooks or not, or already over; undefined: none. */
  readonly running: 'with-hooks' | 'without-hooks' | undefined
}

export function telling({ task, isScript, running }: TellingFacts): Telling {
  const { id, status } = task
  if (status === 'closed') {
    return {
      step: 'refuse',
      why: 'is closed: no agent would read it',
      hint: `fleet bd reopen ${id} opens it again, and its next attempt reads what you tell it then`,
    }
  }
  if (waitsToLand(task)) {
    return {
      step: 'refuse',
      why: 'has passed, and waits to land: no agent would read it',
      hint: `fleet retry ${id} --note "<text>" starts an attempt that reads it, and its work lands after that`,
    }
  }
  if (isScript) {
    return {
      step: 'refuse',
      why: 'is a script, which reads no messages',
      hint: `fleet bd comment ${id} "<text>" leaves a comment for people`,
    }
  }
  return { step: 'tell', reach: running === 'with-hooks' ? 'at-work' : 'next-prompt' }
}

interface LateFacts {
  /** As the queue has it after the message was kept; undefined: it was deleted. */
  readonly task: Task | undefined
  /** The last run of the task, after the message was kept. */
  readonly last: Pick<Run, 'phase' | 'next' | 'outcome'> | undefined
}

/** Why a message that was kept a moment ago is read by no agent, unless a person does something; undefined: one reads it. */
export function tooLate(
  id: string,
  { task, last }: LateFacts,
): { readonly why: string; readonly hint: string } | undefined {
  const isUntold = last?.phase === 'ended' && task?.status !== 'open'
  if (task?.status === 'closed' || (isUntold && last.next?.to === 'closed')) {
    return {
      why: 'ended just before, and its agent has not read it',
      hint: `it is a comment now; fleet bd reopen ${id} starts an attempt that reads it`,
    }
  }
  if ((task !== undefined && waitsToLand(task)) || (isUntold && last.outcome?.code === NEEDS_LANDING)) {
    return {
      why: 'passed just before and waits to land, and its agent has not read it',
      hint: `it is a comment now; fleet retry ${id} starts an attempt that reads it, and its work lands after that`,
    }
  }
  return undefined
}

/** How a message reaches an agent that was to be interrupted for it: the run may have been about to end otherwise. */
export function reachAfter(outcome: Outcome | null | undefined): Reach {
  return outcome?.code === 'told' ? 'interrupted' : 'next-prompt'
}

function waitsToLand({ status, labels }: Task): boolean {
  return status === 'blocked' && labels.includes(NEEDS_LANDING)
}
