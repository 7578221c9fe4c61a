import type { HistoryKind } from '../../src/domain/task/history.ts'
import type { TaskRecord } from '../../src/domain/task/interchange.ts'
import type { Claim, Queue } from '../../src/ports/queue.ts'
import type { QueueValues } from '../../src/ports/queue-values.ts'
import type { ImportReport } from '../../src/ports/task-store.ts'
import type { Given } from './given.ts'

/** A fresh queue and what a test needs with it. Every backend provides one. */
export interface QueueUnderTest extends AsyncDisposable {
  readonly queue: Queue
  /** The named texts beside its tasks. */
  readonly values: QueueValues
  /** The queue's clock; tests move it by hand. */
  readonly clock: { millis: number }
  /** How another process opens the same queue with the same time. */
  connection(): Connection
  /** A person's change with the backend's own command, whoever holds the task. */
  readonly byHand: {
    reassign(id: string, to: string): Promise<void>
    /** Opens the task and removes its assignee. */
    reopen(id: string): Promise<void>
    park(id: string): Promise<void>
    remove(id: string): Promise<void>
  }
  /** Creates tasks with these titles in one step, and returns their ids. For a backend where each `create` takes long. */
  createAll?(titles: readonly string[]): Promise<string[]>
  /** Only if the backend made what the case starts with, and the queue is not empty: the claims of it. */
  readonly claims?: readonly Claim[]
  /** Factor for the rounds of repeating cases, 1 by default. Smaller for bd, where each call takes half a second. */
  readonly effort?: number
  /** Between two calls that several processes make at the same moment; 4 by default. */
  readonly apartMs?: number
  /** Absent: the backend's own command imports. */
  importing?(records: readonly TaskRecord[]): Promise<ImportReport>
  /** The task's history, oldest first, if the backend keeps one. */
  history?(id: string): Promise<readonly HistoryKind[]>
}

/** `module` is a built file that exports `connect(options): Promise<Queue>`. Options are passed as JSON. */
export interface Connection {
  readonly module: string
  readonly options: Readonly<Record<string, string | number>>
}

/** One sentence that must hold for every queue. `run` throws if it does not. */
export interface ContractCase {
  readonly name: string
  /** Nothing, if it is not there. */
  readonly given?: Given
  /** `claims`: those of `given`. */
  run(subject: QueueUnderTest, ...claims: readonly Claim[]): Promise<void>
}
