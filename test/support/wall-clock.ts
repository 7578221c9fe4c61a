import { renameSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { temporaryFolder } from './cli.ts'

const PRELOAD = resolve(import.meta.dirname, 'shifted-clock.cjs')

/** A clock for the processes with this environment; `set` shifts it against the real one, in milliseconds. */
export function wallClock(): { readonly env: NodeJS.ProcessEnv; set(offset: number): void } {
  const file = join(temporaryFolder(), 'offset')
  const set = (offset: number): void => {
    writeFileSync(`${file}.new`, String(offset))
    renameSync(`${file}.new`, file)
  }
  set(0)
  return { env: { NODE_OPTIONS: `--require=${PRELOAD}`, SHIFTED_CLOCK: file }, set }
}
