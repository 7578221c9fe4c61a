/**
 * Words of a person for the agent of a task. A message is a comment on its task, so it travels with the task and stands in
 * its next prompt; the ledger of the machine that runs the task has this record of whether, and how, an agent was told.
 */
export interface Message {
  readonly id: number
  readonly task: string
  /** The comment that says it. */
  readonly comment: string
  readonly by: string
  readonly at: number
  readonly text: string
  /** null: no agent was told yet. */
  readonly delivery: Delivery | null
}

export interface Delivery {
  /** The run whose agent was told: by a hook while it worked, or by its prompt. */
  readonly run: string
  readonly how: 'hook' | 'prompt'
  readonly at: number
  /** The tool that the agent was about to use; null: the end of a turn, or a prompt. */
  readonly before: string | null
}

/** The most characters. A prompt has a comment of this length whole, and a coder passes the words of a hook on whole. */
export const MESSAGE_LIMIT = 4000

/** Ten of the longest. */
const MOST_CHARACTERS = 10 * MESSAGE_LIMIT

/** The messages that the next prompt has, of those that wait, oldest first: at least one. The prompt after it has the others. */
export function nextMessages<T extends { readonly text: string }>(waiting: readonly T[]): readonly T[] {
  let left = MOST_CHARACTERS
  const tooMany = waiting.findIndex(({ text }) => {
    left -= text.length
    return left < 0
  })
  return tooMany === -1 ? waiting : waiting.slice(0, Math.max(1, tooMany))
}
