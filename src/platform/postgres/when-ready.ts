import { setTimeout as delay } from 'node:timers/promises'
import { AppError } from '../../errors.ts'
import { StoreError } from '../sqlite/store-error.ts'
import { isConnectionLost } from './trouble.ts'

export interface ServerPatience {
  /** How long to wait for a server that starts; by default PATIENCE_MS. */
  readonly ms?: number | undefined
  /** Ends the wait. */
  readonly signal?: AbortSignal | undefined
  /** Called once, when the wait begins. */
  waiting?(why: string): void
}

/** A person sees the message after so long; a server that replays a long log takes more. */
const PATIENCE_MS = 20_000
const AGAIN_MS = 250

/**
 * Opens a connection, and waits for a server that starts, recovers or shuts down: it says so itself, and is there in a
 * moment. Once it has said so, it may also be gone for a while, as in a restart. A server that was never there is an error at
 * once: its address may be wrong.
 */
export async function whenReady<T>(connect: () => Promise<T>, patience: ServerPatience = {}): Promise<T> {
  const { ms = PATIENCE_MS, signal, waiting } = patience
  const began = performance.now()
  let isExpected = false
  for (;;) {
    try {
      return await connect()
    } catch (error) {
      if (!isStarting(error) && !(isExpected && isConnectionLost(error))) throw error
      if (!isExpected) waiting?.((error as Error).message)
      isExpected = true
      if (signal?.aborted === true) throw error
      if (performance.now() - began >= ms) throw stillNotReady(error as Error, ms)
    }
    await delay(AGAIN_MS, undefined, signal === undefined ? {} : { signal }).catch(() => {})
  }
}

function isStarting(error: unknown): boolean {
  return error instanceof StoreError && error.trouble === 'starting'
}

function stillNotReady(error: Error, ms: number): AppError {
  return new AppError('queue', `${error.message} (waited ${Math.round(ms / 1000)} s)`, {
    hint: 'nothing was changed; run it again when the server is ready',
    cause: error,
  })
}
