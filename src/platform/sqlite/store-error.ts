import { AppError } from '../../errors.ts'

export type StoreTrouble =
  | 'damaged'
  | 'full'
  | 'locked'
  | 'read-only'
  | 'cannot-open'
  | 'input-output'
  /** A server that cannot be reached. */
  | 'unreachable'
  /** A server that starts, recovers or shuts down. */
  | 'starting'
  /** A server that does not let this user in. */
  | 'refused'

/** An error that a person can act on; `trouble` classifies it for programs. */
export class StoreError extends AppError {
  readonly trouble: StoreTrouble
  /** The driver's message. */
  readonly detail: string

  constructor(trouble: StoreTrouble, message: string, more: { hint: string; cause: Error }) {
    super('queue', message, more)
    this.name = 'StoreError'
    this.trouble = trouble
    this.detail = more.cause.message
  }
}
