import { chmodSync, existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { scratchBase } from '../../scripts/scratch.mjs'

const VARIABLE = 'FLEET_TEST_RUN'

/** A folder for the whole test run, for things that are made once and used by several files. */
export default function makeRunFolder(): () => void {
  const path = mkdtempSync(join(scratchBase(), 'fleet-run-'))
  // A server that runs as another user must reach its own folder.
  chmodSync(path, 0o711)
  process.env[VARIABLE] = path
  return () => rmSync(path, { recursive: true, force: true })
}

export function runFolder(): string {
  const path = process.env[VARIABLE]
  if (path === undefined) throw new Error(`${VARIABLE} is not set: test/support/run-folder.ts is no global setup`)
  return path
}

/** A folder with this name, made by the first caller. If two callers race, the result of one is discarded. */
export function onceInRun(name: string, make: (folder: string) => void): string {
  const path = join(runFolder(), name)
  if (existsSync(path)) return path
  const making = mkdtempSync(`${path}-`)
  make(making)
  try {
    renameSync(making, path)
  } catch (error) {
    if (!existsSync(path)) throw error
  }
  return path
}
