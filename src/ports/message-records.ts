import type { Delivery, Message } from '../domain/agent/message.ts'

/** The messages of people for agents, and whether they arrived. */
export interface MessageRecords {
  /** The same comment is added once. */
  add(message: Omit<Message, 'id' | 'delivery'>): Message
  /** Of all tasks, oldest first. */
  waiting(): readonly Message[]
  /** Oldest first. */
  of(task: string): readonly Message[]
  /** Of that task, and the first delivery counts. false: it changed nothing. */
  delivered(message: Pick<Message, 'id' | 'task'>, delivery: Delivery): boolean
  /** The agent may not have read it after all. */
  reopen(message: Pick<Message, 'id' | 'task'>): void
}
