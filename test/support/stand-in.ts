import { closeSync, openSync, writeSync } from 'node:fs'
import type { Proc } from '../../src/domain/run/run.ts'
import { AppError } from '../../src/errors.ts'
import { Home } from '../../src/platform/files/home.ts'
import { localAgents } from '../../src/platform/process/agents.ts'
import { acquireSupervisorLock } from '../../src/platform/sqlite/supervisor-lock.ts'
import { type StartOrder, StartUnanswered } from '../../src/ports/agents.ts'

/**
 * A process in place of a supervisor: `stand-in <orders>` takes the lock of a home, starts agents, reports the result in
 * one line of JSON, and stays until its stdin ends. Built by test/support/build.ts.
 */
export interface Orders {
  readonly home?: string
  /** When it started, as its record says. */
  readonly now?: number
  readonly agents?: readonly StartOrder[]
  /** Starts them with only this many file descriptors left. */
  readonly filesLeft?: number
  /** Looks at them without free file descriptors, and reports the sightings or the errors. */
  readonly lookWithoutFiles?: boolean
  /** Ends as soon as its event loop is empty: agents must not keep it alive. */
  readonly leave?: boolean
}

const {
  home,
  now = Date.now(),
  agents = [],
  filesLeft,
  lookWithoutFiles = false,
  leave = false,
}: Orders = JSON.parse(process.argv[2] ?? '{}')
const acquired = home === undefined ? null : acquireSupervisorLock(new Home(home), { version: '1.2.3', now })
const system = localAgents()
const taken = filesLeft === undefined ? [] : takeAllFiles()
for (const each of taken.splice(0, filesLeft)) closeSync(each)
const starts = agents.map(async (order) => {
  try {
    return await system.start(order, () => {})
  } catch (error) {
    // It runs, and the next look finds it.
    if (error instanceof StartUnanswered) return { pid: 0, startTime: '0', bootId: system.bootId() }
    if (error instanceof AppError) return `${error.code}: ${error.message}`
    throw error
  }
})
void Promise.all(starts).then(tell)

function tell(procs: readonly (Proc | string)[]): void {
  for (const each of taken) closeSync(each)
  // Closes anything that only an unreachable object holds.
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
