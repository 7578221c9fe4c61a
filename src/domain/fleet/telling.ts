import type { Task } from '../task/task.ts'

/** How a message reaches the agent of a task. */
export type Reach =
  /** Before its next tool, or at the end of its turn. */
  | 'at-work'
  /** In the prompt of its next attempt. */
  | 'next-prompt'

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

export function telling({ task: { id, status }, isScript, running }: TellingFacts): Telling {
  if (status === 'closed') {
    return {
      step: 'refuse',
      why: 'is closed: no agent would read it',
      hint: `fleet bd reopen ${id} opens it again, and its next attempt reads what you tell it then`,
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
