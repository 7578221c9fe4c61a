import { closeSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { privateDirectory } from './home.ts'

/** `logging/fleet-<date>.jsonl`, a new file every day (UTC). A line that cannot be written is lost, never the supervisor. */
export function openJournal(folder: string): (line: Readonly<Record<string, unknown>>) => void {
  let day = ''
  let fd: number | undefined
  return (line) => {
    const ts = new Date().toISOString()
    try {
      if (ts.slice(0, 10) !== day) {
        if (fd !== undefined) closeSync(fd)
        fd = undefined
        privateDirectory(folder)
        fd = openSync(join(folder, `fleet-${ts.slice(0, 10)}.jsonl`), 'a', 0o600)
        day = ts.slice(0, 10)
      }
      if (fd !== undefined) writeSync(fd, `${JSON.stringify({ v: 1, ts, ...line })}\n`)
    } catch {
      day = ''
    }
  }
}
