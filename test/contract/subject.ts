import type { HistoryKind } from '../../src/domain/task/history.ts'
import type { Queue } from '../../src/ports/queue.ts'

/** A fresh, empty queue, and what a test needs beside it. Every backend brings its own. */
export interface QueueUnderTest extends AsyncDisposable {
  readonly queue: Queue
  /** The time this queue believes it is; tests move it by hand. */
  readonly clock: { millis: number }
  /** How another process opens the same queue, with its clock standing where this one stands now. */
  connection(): Connection
  /** What a person does to a task with the backend's own command, whoever holds it. */
  readonly byHand: {
    reassign(id: string, to: string): Promise<void>
    /** Open and nobody's. */
    reopen(id: string): Promise<void>
    park(id: string): Promise<void>
    remove(id: string): Promise<void>
  }
  /** How much of the usual number of rounds a case that repeats itself is run with; 1 where it is not said. bd takes half a second for each call. */
  readonly effort?: number
  /** What was recorded of a task, oldest first, where the backend keeps a history. */
  history?(id: string): Promise<readonly HistoryKind[]>
}

/** `module` is a built file that exports `connect(options): Promise<Queue>`. Options travel as JSON. */
export interface Connection {
  readonly module: string
  readonly options: Readonly<Record<string, string | number>>
}

/** One sentence that must hold of every queue. Throws where it does not. */
export interface ContractCase {
  readonly name: string
  run(subject: QueueUnderTest): Promise<void>
}
