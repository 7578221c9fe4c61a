import { closeSync, openSync, writeSync } from 'node:fs'
import type { Proc } from '../../src/domain/run/run.ts'
import { AppError } from '../../src/errors.ts'
import { Home } from '../../src/platform/files/home.ts'
import { localAgents } from '../../src/platform/process/agents.ts'
import { acquireSupervisorLock } from '../../src/platform/sqlite/supervisor-lock.ts'
import type { StartOrder } from '../../src/ports/agents.ts'

/**
 * A process in the place of a supervisor: `stand-in <orders>` takes the lock of a home, starts agents, says in one line
 * of JSON what came of it, and stays until its stdin ends. Built by test/support/build.ts.
 */
export interface Orders {
  readonly home?: string
  readonly agents?: readonly StartOrder[]
  /** Starts them with only so many files left to open. */
  readonly filesLeft?: number
  /** Looks at them while no file can be opened, and says what it sees or why it cannot. */
  readonly lookWithoutFiles?: boolean
  /** Ends by itself as soon as nothing keeps it: agents must not. */
  readonly leave?: boolean
}

const {
  home,
  agents = [],
  filesLeft,
  lookWithoutFiles = false,
  leave = false,
}: Orders = JSON.parse(process.argv[2] ?? '{}')
const acquired = home === undefined ? null : acquireSupervisorLock(new Home(home), { version: '1.2.3', now: 1000 })
const system = localAgents()
const taken = filesLeft === undefined ? [] : takeAllFiles()
for (const each of taken.splice(0, filesLeft)) closeSync(each)
const starts = agents.map(async (order) => {
  try {
    return await system.start(order, () => {})
  } catch (error) {
    if (error instanceof AppError) return `${error.code}: ${error.message}`
    throw error
  }
})
void Promise.all(starts).then(tell)

function tell(procs: readonly (Proc | string)[]): void {
  for (const each of taken) closeSync(each)
  // What is only held by a forgotten object is gone now.
  globalThis.gc?.()
  const sightings = lookWithoutFiles ? lookBlindly(procs) : []
  const lock = acquired?.kind === 'held' ? { kind: 'held' } : acquired
  writeSync(1, `${JSON.stringify({ lock, procs, sightings })}\n`)
  if (!leave) process.stdin.on('end', () => process.exit(0)).resume()
}

function lookBlindly(procs: readonly (Proc | string)[]): string[] {
  const files = takeAllFiles()
  const sightings = agents.map((order, n) => {
    try {
      return system.look({ ...order, proc: procs[n] as Proc }).kind
    } catch (error) {
      return (error as NodeJS.ErrnoException).code ?? ''
    }
  })
  for (const each of files) closeSync(each)
  return sightings
}

function takeAllFiles(): number[] {
  const files: number[] = []
  try {
    for (;;) files.push(openSync('/dev/null', 'r'))
  } catch {
    return files
  }
}
