import type { Proc } from '../../domain/run/run.ts'
import { bootId, processEntry } from './process-table.ts'

/** A process as it can be found again; null: there is none with that pid any more. */
export function procOf(pid: number): Proc | null {
  const startTime = processEntry(pid)?.startTime
  return startTime === undefined ? null : { pid, startTime, bootId: bootId() }
}
