import { basename, join } from 'node:path'
import { fateOfOutput, fateOfTask, type OutputFate, type Retention } from '../domain/run/retention.ts'
import type { Run } from '../domain/run/run.ts'
import { isRealFolder, namesIn, removeDanglingLink } from '../platform/files/folder.ts'
import { pack, packedSize, removePacked } from '../platform/files/packed.ts'
import { discardLarge } from '../platform/files/temporary-folder.ts'
import { type WalkedFile, walk } from '../platform/files/walk.ts'
import type { Ledger } from '../ports/ledger.ts'

export interface RetainedTask {
  /** Its folder. */
  readonly folder: string
  readonly runs: readonly Run[]
  readonly ledger: Pick<Ledger, 'recordsOf'>
  /** Its work waits to land, or is landing: those checks may be running. */
  readonly isLanding: boolean
  readonly retention: Retention
  readonly now: number
  readonly dryRun: boolean
}

export interface FreedOfTask {
  compressed: number
  removed: number
  bytes: number
}

/** What an agent printed, at the top of its attempt. */
const RAW = ['stdout.jsonl', 'stderr.log']
/** What setup, checks and landings left in folders of their own, and the orders that hooks took to the agent. */
const PARTS = ['checks', 'setup', 'landing', 'landing-setup', 'hooks']
const PRINTED = new Set([...RAW, 'output.log'])
/** Covered by the ledger and the receipt. */
const RECORDS = ['launch.json', 'prompt.md', 'stdin', 'exit.json', 'exit.json.pid']
const EVENTS = 'events.jsonl'
/** An empty file, or one of a few lines, would not get smaller. */
const LEAST = 1024

/** Compresses and removes what is old enough of a task. Its receipts, the agent's letters and artifacts stay. */
export async function retainTask(task: RetainedTask, freed: FreedOfTask): Promise<void> {
  const { folder, runs, retention, now } = task
  const attempts = join(folder, 'attempts')
  // Behind a link that an agent put there could be anything of the user's, or another run's output.
  if (!isRealFolder(folder) || !isRealFolder(attempts)) return
  const known = new Map(runs.map((run) => [String(run.attempt), run]))
  const names = namesIn(attempts).filter((name) => /^[1-9]\d{0,8}$/.test(name) && isRealFolder(join(attempts, name)))
  if (names.length === 0) return
  const applied = { ...task, freed }
  let isTouched = false
  for (const name of names) {
    const fate = fateOfOutput(known.get(name), retention, now)
    if (fate === 'keep') continue
    isTouched = true
    await retainAttempt(join(attempts, name), fate, applied)
  }
  const ofAll = fateOfTask(runs, retention, now)
  if (ofAll !== 'keep') await applyTo(join(folder, EVENTS), ofAll, applied)
  if (ofAll === 'remove') for (const run of runs) dropRecords(join(attempts, String(run.attempt)), run, applied)
  if (isTouched && !task.dryRun) removeDanglingLink(join(folder, 'log.stderr'))
}

type Applied = RetainedTask & { readonly freed: FreedOfTask }

async function retainAttempt(path: string, fate: 'compress' | 'remove', task: Applied): Promise<void> {
  for (const name of RAW) await applyTo(join(path, name), fate, task)
  if (task.isLanding) return
  for (const part of PARTS.map((name) => join(path, name)).filter(isRealFolder)) {
    if (fate === 'remove') {
      for (const { size } of await filesBelow(part)) {
        task.freed.removed++
        task.freed.bytes += size
      }
      if (!task.dryRun) await discardLarge(part)
      continue
    }
    for (const { path: file } of await filesBelow(part)) {
      if (PRINTED.has(basename(file))) await applyTo(join(part, file), fate, task)
    }
  }
}

const WALK = { maxEntries: 100_000, maxMs: 10_000, skips: () => false }

async function filesBelow(folder: string): Promise<readonly WalkedFile[]> {
  const found: WalkedFile[] = []
  await walk(folder, WALK, (file) => found.push(file))
  return found
}

/** Only where the ledger has the launch record: a later attempt of the task goes by it. */
function dropRecords(path: string, run: Run, { ledger, dryRun, freed }: Applied): void {
  if (!isRealFolder(path)) return
  const left = RECORDS.map((name) => join(path, name)).filter((each) => packedSize(each).plain > 0)
  if (left.length === 0 || ledger.recordsOf(run.id).launch === undefined) return
  for (const each of left) {
    freed.removed++
    freed.bytes += dryRun ? packedSize(each).plain : removePacked(each)
  }
}

async function applyTo(path: string, fate: Exclude<OutputFate, 'keep'>, { dryRun, freed }: Applied): Promise<void> {
  const { plain, packed } = packedSize(path)
  if (fate === 'remove') {
    if (plain + packed === 0) return
    freed.removed++
    freed.bytes += dryRun ? plain + packed : removePacked(path)
    return
  }
  if (plain < LEAST) return
  const saved = dryRun ? 0 : await pack(path)
  if (saved === undefined) return
  freed.compressed++
  freed.bytes += saved
}
