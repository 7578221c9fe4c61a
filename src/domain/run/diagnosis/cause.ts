/** Why a run stalled: one table, because each cause needs another cure. */
export type StallCause = keyof typeof CAUSES

interface Cause {
  /** The last words of a diagnosis. */
  readonly words: string
  /** For the next attempt: one line. */
  readonly advice: string
  /** The provider, or the machine's way to it, may be the reason: several such stalls are one incident. */
  readonly isOfProvider: boolean
}

export const CAUSES = {
  'never-started': {
    words: 'it never started',
    advice: 'The last attempt ended before it began, through no fault of the work.',
    isOfProvider: true,
  },
  'dead-stream': {
    words: 'its stream is dead',
    advice: "The model's answer broke off, through no fault of the work: go on where it stopped.",
    isOfProvider: true,
  },
  gate: {
    words: 'it waits for an answer that nobody gives',
    advice:
      'A command or tool waited for input, and nobody is there to give any. Run commands without questions (--yes, input from /dev/null), and ask people with fleet ask.',
    isOfProvider: false,
  },
  'hung-tool': {
    words: 'the tool hangs',
    advice:
      'The call did not end. Do not repeat it as it was: bound it with a timeout, run it in the background and look at its output, or do it another way.',
    isOfProvider: false,
  },
  'first-token': {
    words: 'the model never began to answer',
    advice: 'The model did not begin to answer, through no fault of the work: go on where it stopped.',
    isOfProvider: true,
  },
  quota: {
    words: 'a limit that looks like a hang',
    advice: 'The account had reached a limit: go on where it stopped.',
    isOfProvider: false,
  },
} as const satisfies Record<string, Cause>

/** Why a run was called stalled, and what the supervisor saw. */
export interface Stall {
  readonly cause: StallCause
  /** One observation each, for people. */
  readonly evidence: readonly string[]
}
