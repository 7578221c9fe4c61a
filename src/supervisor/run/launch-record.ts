import { createHmac, hash } from 'node:crypto'
import type { Run } from '../../domain/run/run.ts'
import { type Told, toldIn } from '../../domain/run/told.ts'
import { AppError } from '../../errors.ts'
import type { World } from '../world.ts'
import type { LiveRun } from './live-run.ts'

export interface LaunchRecord {
  readonly text: string
  /** The file in the folder of the attempt is not the one that fleet wrote. */
  readonly altered: boolean
  /** Whether the text is as fleet wrote it. */
  readonly trusted: boolean
}

/**
 * launch.json as fleet wrote it. The ledger's text wins over the file, its hash judges the file. Where the supervisor ended
 * before the ledger had either, the seal in the file does. `written`: its hash, where this supervisor wrote it.
 */
export function launchRecord(
  { attempts, ledger }: Reading,
  { id, task, attempt }: Run,
  written?: string,
): LaunchRecord {
  const file = fileText(attempts, task, attempt)
  if (written !== undefined && sha256(file) === written) return { text: file, altered: false, trusted: true }
  const { launch } = ledger.recordsOf(id)
  if (launch !== undefined) return { text: launch, altered: file !== launch, trusted: true }
  const known = ledger.seen(id).launch
  const altered = known === undefined ? !isSealed(file, ledger.secret()) : sha256(file) !== known
  return { text: file, altered, trusted: !altered }
}

/** The same of a run that ends, read once: after its processes have gone and its folder is mended. */
export function ownLaunchRecord(world: Reading, { record, launch, ending }: LiveRun): LaunchRecord {
  ending.launchRecord ??= launchRecord(world, record, launch)
  return ending.launchRecord
}

/** What its prompt told of its task; undefined: the record is gone or is not as fleet wrote it. */
export function toldTo(world: Reading, run: Run): Told | undefined {
  const { text, trusted } = launchRecord(world, run)
  if (!trusted) return undefined
  try {
    return toldIn(JSON.parse(text))
  } catch {
    return undefined
  }
}

type Reading = Pick<World, 'attempts' | 'ledger'>

/** Something that cannot be read as a file was put there by the agent. */
function fileText(attempts: World['attempts'], task: string, attempt: number): string {
  try {
    return attempts.read(task, attempt, 'launch.json') ?? ''
  } catch (error) {
    if (error instanceof AppError) return ''
    throw error
  }
}

/** The text of launch.json, with a seal as its last field. */
export function sealedText(record: object, secret: string): string {
  return `${JSON.stringify({ ...record, seal: sealOf(record, secret) }, undefined, 2)}\n`
}

function isSealed(text: string, secret: string): boolean {
  try {
    const { seal, ...record } = JSON.parse(text) as { seal?: unknown }
    return seal === sealOf(record, secret)
  } catch {
    return false
  }
}

function sealOf(record: object, secret: string): string {
  return createHmac('sha256', secret).update(JSON.stringify(record)).digest('hex')
}

export function sha256(text: string): string {
  return hash('sha256', text)
}
