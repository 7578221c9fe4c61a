import { sizeText } from '../../text/size.ts'
import type { Outcome } from '../outcome.ts'

/** One process of a run. */
export interface MemoryUse {
  readonly pid: number
  readonly bytes: number
  readonly command: string
}

const NAMED = 3

/** Pages that processes share count for each of them, so the sum is an upper bound. undefined: it is within the limit. */
export function tooMuchMemory(processes: readonly MemoryUse[], limit: number): Outcome | undefined {
  const sum = processes.reduce((all, { bytes }) => all + bytes, 0)
  if (sum <= limit) return undefined
  const largest = [...processes].sort((a, b) => b.bytes - a.bytes).slice(0, NAMED)
  const named = largest.map(({ pid, bytes, command }) => `${command} (pid ${pid}) ${sizeText(bytes)}`)
  const most = processes.length > NAMED ? `, the largest of ${processes.length} processes: ` : ': '
  return {
    code: 'out-of-memory',
    text: `its processes used ${sizeText(sum)} of memory, and limits.memory is ${sizeText(limit)}${most}${named.join(', ')}`,
  }
}
