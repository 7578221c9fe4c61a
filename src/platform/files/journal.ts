import { closeSync, constants, fstatSync, ftruncateSync, writeSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Log } from '../../domain/fleet/log-event.ts'
import { privateDirectory } from './home.ts'
import { openRegular } from './regular-file.ts'

/** `logging/fleet-<date>.jsonl`, a new file every day (UTC). A line that cannot be written is lost, never the supervisor. */
export function openJournal(folder: string): Log {
  let day = ''
  let fd: number | undefined
  return (event, ...[fields]) => {
    const ts = new Date().toISOString()
    try {
      if (ts.slice(0, 10) !== day) {
        if (fd !== undefined) closeSync(fd)
        fd = undefined
        privateDirectory(folder, { below: dirname(folder) })
        fd = openAppending(join(folder, `fleet-${ts.slice(0, 10)}.jsonl`))
        day = ts.slice(0, 10)
      }
      if (fd !== undefined) writeWhole(fd, `${JSON.stringify({ v: 1, ts, event, ...fields })}\n`)
    } catch {
      day = ''
    }
  }
}

/** Throws for a pipe, which would hold up the supervisor, and for a link, which could lead anywhere. */
function openAppending(path: string): number | undefined {
  const flags = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT
  return openRegular(path, { flags, links: 'refuse', hint: 'move it away; fleet makes another' })?.fd
}

/** All of the line or nothing: a disk that has just filled up takes half a line, which would corrupt the next one too. */
function writeWhole(fd: number, line: string): void {
  const bytes = Buffer.from(line)
  const written = writeSync(fd, bytes)
  if (written < bytes.length) ftruncateSync(fd, fstatSync(fd).size - written)
}
