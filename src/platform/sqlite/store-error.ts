import { AppError } from '../../errors.ts'

export type StoreTrouble =
  | 'damaged'
  | 'full'
  | 'locked'
  | 'read-only'
  | 'cannot-open'
  | 'input-output'
  /** Of a server: not there, not yet, or not any more. */
  | 'unreachable'
  /** Of a server: it does not let this user in. */
  | 'refused'

/** What a person can act on, and for programs what kind of trouble it is. */
export class StoreError extends AppError {
  readonly trouble: StoreTrouble
  /** The driver's own words. */
  readonly detail: string

  constructor(trouble: StoreTrouble, message: string, more: { hint: string; cause: Error }) {
    super('queue', message, more)
    this.name = 'StoreError'
    this.trouble = trouble
    this.detail = more.cause.message
  }
}
