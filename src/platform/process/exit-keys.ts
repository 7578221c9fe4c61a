import { createHmac } from 'node:crypto'
import type { ExitKeys } from './exit-file.ts'

/** From the secret of the home's store, so that the next supervisor of the home has the same keys. */
export function exitKeysOf(run: string, secret: string): ExitKeys {
  const digest = createHmac('sha256', secret).update(`exit of ${run}`).digest('base64url')
  return { zero: digest.slice(0, KEY), other: digest.slice(KEY, 2 * KEY) }
}

/** 36 bits: an agent has one guess for each attempt, and the wrapper's shell makes a system call for each character. */
const KEY = 6
