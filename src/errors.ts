/**
 * A person reads an AppError when a command cannot do its job. Any other thrown error is a bug.
 * The exit codes are part of the contract (docs/reference/cli.md).
 */
export const EXIT = {
  failed: 1,
  usage: 2,
  config: 3,
  'not-found': 4,
  conflict: 5,
  'not-running': 6,
  queue: 7,
  unsupported: 8,
} as const

export type ErrorCode = keyof typeof EXIT

export class AppError extends Error {
  readonly code: ErrorCode
  /** The next step, as a sentence or a command. */
  readonly hint: string | undefined

  constructor(code: ErrorCode, message: string, more: { hint?: string; cause?: unknown } = {}) {
    super(message, more.cause === undefined ? {} : { cause: more.cause })
    this.name = 'AppError'
    this.code = code
    this.hint = more.hint
  }

  get exitCode(): number {
    return EXIT[this.code]
  }
}
