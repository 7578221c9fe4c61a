import { cpSync, mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { scratchBase } from '../../scripts/scratch.mjs'
import { lineOf } from '../../src/domain/task/interchange.ts'
import type { Task } from '../../src/domain/task/task.ts'
import type { Claim } from '../../src/ports/queue.ts'
import { Bd } from '../../src/queues/beads/bd.ts'
import { BeadsQueue } from '../../src/queues/beads/queue.ts'
import { setState } from '../../src/queues/beads/tables.ts'
import { openStore } from '../../src/queues/sqlite/open.ts'
import { SqliteQueue } from '../../src/queues/sqlite/queue.ts'
import { bd, freshBeads, withRealBd } from '../support/real-bd.ts'
import { runFolder } from '../support/run-folder.ts'
import { claimTasks, createTasks, type Given } from './given.ts'

/** A home's store and bd's database, in one folder. */
export interface BeadsStart {
  readonly folder: string
  readonly queue: BeadsQueue
  readonly clock: { millis: number }
  readonly claims: readonly Claim[]
}

interface Made {
  readonly folder: string
  readonly millis: number
  readonly claims: readonly Claim[]
}

/** The version of bd, asked once for all cases and not by each of them. */
let version = ''
const memory = {
  get: () => version,
  set(text: string): void {
    version = text
  },
}
export const bdVersion = (): string => version

const made = new Map<string, Promise<Made>>()

/**
 * A copy of what the case starts with, as if it had been made just now. Each call of bd takes a quarter of a second of the
 * processor, so what several cases start with is made once.
 */
export async function startOn(given: Given): Promise<BeadsStart> {
  const key = JSON.stringify(given)
  const making = made.get(key) ?? make(given)
  made.set(key, making)
  const template = await making
  const folder = mkdtempSync(join(scratchBase(), 'fleet-contract-'))
  cpSync(template.folder, folder, { recursive: true })
  const later = wholeSeconds(Date.now()) - template.millis
  const clock = { millis: template.millis + Math.max(0, later) }
  const queue = open(folder, clock, (db) => {
    setState(db, 'looked', String(Date.now()))
    db.sql('update task set lease_until = lease_until + ?').run(clock.millis - template.millis)
  })
  return { folder, queue, clock, claims: template.claims }
}

async function make(given: Given): Promise<Made> {
  const folder = mkdtempSync(join(runFolder(), 'contract-'))
  const beads = join(folder, '.beads')
  freshBeads(beads)
  // The current time, because bd uses the real one.
  const clock = { millis: wholeSeconds(Date.now()) - given.tasks.length * 1000 }
  const lines = await linesOf(given, clock)
  if (lines !== '') bd(beads, ['--actor', 'maker', 'import', '-'], lines)
  openStore({ path: join(folder, 'fleet.db'), create: true })[Symbol.dispose]()
  await using queue = open(folder, clock, (db) => db.exec(`insert into meta (key, value) values ('queue', 'beads')`))
  // Reads the tasks from bd.
  await queue.ready({ limit: 0 })
  return { folder, millis: clock.millis, claims: await claimTasks({ queue }, given) }
}

/** As `bd import` reads them: what the local queue would have after creating them. */
async function linesOf(given: Given, clock: { millis: number }): Promise<string> {
  const scratch = mkdtempSync(join(runFolder(), 'contract-'))
  const store = openStore({ path: join(scratch, 'fleet.db'), create: true })
  await using queue = new SqliteQueue(store, { clock: { now: () => clock.millis } })
  const counts = { dependency_count: 0, dependent_count: 0, comment_count: 0 }
  const lines: string[] = []
  for (const id of await createTasks({ queue, clock }, given)) {
    const [task, dependencies] = [await queue.get(id), await queue.edges([id], 'down')]
    lines.push(JSON.stringify(lineOf({ ...(task as Task), dependencies, comments: [] }, counts)))
  }
  return lines.map((line) => `${line}\n`).join('')
}

function open(
  folder: string,
  clock: { readonly millis: number },
  prepare: (db: ReturnType<typeof openStore>) => void,
): BeadsQueue {
  const beads = join(folder, '.beads')
  const db = openStore({ path: join(folder, 'fleet.db') })
  const bd = new Bd({ beads, env: withRealBd(), memory })
  const queue = new BeadsQueue(db, { bd, beads, clock: { now: () => clock.millis } })
  db.write(() => prepare(db))
  return queue
}

const wholeSeconds = (millis: number): number => Math.floor(millis / 1000) * 1000
