import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { processTable } from './process-table.ts'

const PATIENCE_MS = 5000

/** The memory of these processes that is in use now, in bytes; those that have gone or cannot be asked are left out. */
export function residentBytes(pids: readonly number[]): ReadonlyMap<number, number> {
  return processTable().kind === 'proc' ? fromProc(pids) : fromPs(pids)
}

/** `status` gives kilobytes; the other files count pages, whose size Node does not know. */
function fromProc(pids: readonly number[]): ReadonlyMap<number, number> {
  return new Map(
    pids.flatMap((pid) => {
      try {
        const kilobytes = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1]
        return kilobytes === undefined ? [] : [[pid, Number(kilobytes) * 1024] as const]
      } catch {
        return []
      }
    }),
  )
}

function fromPs(pids: readonly number[]): ReadonlyMap<number, number> {
  if (pids.length === 0) return new Map()
  const argv = ['-o', 'pid=,rss=', '-p', pids.join(',')]
  const { stdout } = spawnSync('ps', argv, { encoding: 'utf8', timeout: PATIENCE_MS })
  const rows = (stdout ?? '').split('\n').map((line) => line.trim().split(/\s+/).map(Number))
  return new Map(rows.flatMap(([pid = 0, kilobytes = 0]) => (pid > 0 ? [[pid, kilobytes * 1024] as const] : [])))
}
