import { readFileSync, readlinkSync, statSync } from 'node:fs'
import type { Namespaces } from '../../domain/fleet/supervisor-place.ts'
import { parseStat } from './process-table-proc.ts'

/** undefined: this machine has none. */
export function ownNamespaces(): Namespaces | undefined {
  try {
    const { dev, ino } = statSync('/')
    return {
      pid: readlinkSync('/proc/self/ns/pid'),
      user: readlinkSync('/proc/self/ns/user'),
      time: timeNamespace(),
      root: `${dev}:${ino}`,
      initStart: Number(parseStat(readFileSync('/proc/1/stat', 'latin1'))?.startTime ?? 0),
    }
  } catch {
    return undefined
  }
}

/** Linux has it since 5.6. */
function timeNamespace(): string {
  try {
    return readlinkSync('/proc/self/ns/time')
  } catch {
    return ''
  }
}
