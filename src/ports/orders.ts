import type { Request } from '../domain/run/run.ts'
import type { Millis } from './clock.ts'

/** A person's request to the supervisor of another machine, through the shared queue. */
export interface Orders {
  /** Gives the order, and wakes the supervisor it is for. */
  give(order: NewOrder): Promise<number>
  /**
   * Takes the new orders for this supervisor, oldest first. `again`: also those handed out before and not answered. Orders
   * that nobody waits for any more are left out.
   */
  take(host: string, how?: { again?: boolean }): Promise<readonly Order[]>
  done(order: number, answer: string): Promise<void>
  get(order: number): Promise<OrderState | undefined>
  /** false: the supervisor has taken it meanwhile, and will answer. */
  withdraw(order: number): Promise<boolean>
  /** How long that supervisor's claim on a task lasts without being renewed; undefined: it has none. */
  leaseLeft(host: string, task: string): Promise<Millis | undefined>
}

export interface NewOrder {
  /** The claimer. */
  readonly host: string
  /** Requests about one task, and `fleet pause` and `fleet resume` for the whole machine. */
  readonly kind: Extract<Request['kind'], 'kill' | 'pause-task' | 'tell-now'> | 'tell' | 'pause' | 'resume'
  /** '' if it concerns no single task. */
  readonly task: string
  readonly by: string
  /** The comment to tell; absent: it is about none. */
  readonly about?: string | undefined
}

export interface Order extends NewOrder {
  readonly id: number
}

export interface OrderState {
  readonly taken: boolean
  /** The answer; undefined: not yet. */
  readonly answer: string | undefined
}
