import { createHmac } from 'node:crypto'
import type { ExitKeys } from './exit-file.ts'

/** From the secret of the home's store, so that the next supervisor of the home has the same keys. */
export function exitKeysOf(run: string, secret: string): ExitKeys {
  const digest = createHmac('sha256', secret).update(`exit of ${run}`).digest('hex')
  return { zero: digest.slice(0, KEY), other: digest.slice(KEY, 2 * KEY) }
}

/** The wrapper's shell reads each character by itself. */
const KEY = 16
