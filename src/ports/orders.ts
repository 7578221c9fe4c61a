import type { Request } from '../domain/run/run.ts'
import type { Millis } from './clock.ts'

/** What a person on one machine asks of the supervisor of another, by way of the queue that both share. */
export interface Orders {
  /** The supervisor it is for is woken. */
  give(order: NewOrder): Promise<number>
  /**
   * Those for this supervisor that it has not seen yet, oldest first; from now on it has. `again`: also those that were
   * handed out before and not answered. What nobody waits for any more is left.
   */
  take(host: string, how?: { again?: boolean }): Promise<readonly Order[]>
  done(order: number, answer: string): Promise<void>
  get(order: number): Promise<OrderState | undefined>
  /** false: it was taken meanwhile, and an answer will come. */
  withdraw(order: number): Promise<boolean>
  /** How long that supervisor's claim on a task is good for without being renewed; undefined: it has none. */
  leaseLeft(host: string, task: string): Promise<Millis | undefined>
}

export interface NewOrder {
  /** The claimer. */
  readonly host: string
  /** What can be asked of one's own supervisor, and what is done without one at home: to claim, or not to. */
  readonly kind: Extract<Request['kind'], 'kill' | 'pause-task'> | 'pause' | 'resume'
  /** '' where it concerns no single task. */
  readonly task: string
  readonly by: string
}

export interface Order extends NewOrder {
  readonly id: number
}

export interface OrderState {
  readonly taken: boolean
  /** What was done; undefined: not yet. */
  readonly answer: string | undefined
}
