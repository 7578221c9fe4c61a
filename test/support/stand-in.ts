import { writeSync } from 'node:fs'
import { localAgents } from '../../src/platform/agents.ts'
import { Home } from '../../src/platform/home.ts'
import { acquireSupervisorLock } from '../../src/platform/supervisor-lock.ts'
import type { StartOrder } from '../../src/ports/agents.ts'

/**
 * A process in the place of a supervisor: `stand-in <orders>` takes the lock of a home, starts agents, says in one line
 * of JSON what came of it, and stays until its stdin ends. Built by test/support/build.ts.
 */
export interface Orders {
  readonly home?: string
  readonly agents?: readonly StartOrder[]
  /** Ends by itself as soon as nothing keeps it: agents must not. */
  readonly leave?: boolean
}

const { home, agents = [], leave = false }: Orders = JSON.parse(process.argv[2] ?? '{}')
const acquired = home === undefined ? null : acquireSupervisorLock(new Home(home), { version: '1.2.3', now: 1000 })
const system = localAgents()
const procs = agents.map((order) => system.start(order, () => {}).proc)
// What is only held by a forgotten object is gone now.
globalThis.gc?.()
const lock = acquired?.kind === 'held' ? { kind: 'held' } : acquired
writeSync(1, `${JSON.stringify({ lock, procs })}\n`)
if (!leave) process.stdin.on('end', () => process.exit(0)).resume()
