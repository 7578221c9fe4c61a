import { readFileSync } from 'node:fs'
import type { InputWait } from '../../domain/run/diagnosis/look.ts'
import { type DescriptorsOf, fileBehind, onlyWrites } from './open-files.ts'

/** A process of a run, the one above it, and the name of its program. */
export interface TreeProcess {
  readonly pid: number
  readonly parent: number
  readonly name: string
}

/**
 * The first of these processes that waits for input from outside of them: it reads a terminal, or its stdin is a pipe or
 * socket that it reads and that none of the others feeds. Linux only; undefined: none is seen to.
 */
export function inputWait(tree: readonly TreeProcess[], descriptorsOf: DescriptorsOf): InputWait | undefined {
  for (const { pid, parent, name } of tree) {
    const read = readOf(pid)
    const file = read && fileBehind(`/proc/${pid}/fd/${read.fd}`)
    if (read === undefined || file === undefined) continue
    if (TERMINAL.test(file)) return { pid, name, on: 'terminal' }
    if (read.fd !== 0 || read.polls || !isStream(pid, file)) continue
    const above = ancestors(tree, parent)
    const feeds = (other: number): boolean => {
      const open = descriptorsOf(other)
      // Of too many any may be the other end.
      if (open === undefined) return true
      return open.some((each) => each.file === file && (!above.has(other) || onlyWrites(each)))
    }
    if (!tree.some((each) => each.pid !== pid && feeds(each.pid))) return { pid, name, on: 'stdin' }
  }
  return undefined
}

const TERMINAL = /^\/dev\/(?:pts\/|tty|console)/

/** A path is that of a named pipe if the process waits in one. Where the kernel does not tell: a plain file answers at once. */
function isStream(pid: number, file: string): boolean {
  if (/^(?:pipe|socket):\[/.test(file)) return true
  if (!file.startsWith('/')) return false
  const place = placeOfWait(pid)
  return !/[a-z]/.test(place) || place.includes('pipe')
}

/** The kernel's function that it waits in. */
function placeOfWait(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/wchan`, 'latin1')
  } catch {
    return ''
  }
}

/** The numbers of the system calls that read, and of those that wait for several files. */
const CALLS: Readonly<Record<string, { readonly read: readonly number[]; readonly poll: readonly number[] }>> = {
  x64: { read: [0, 19], poll: [7, 23, 232, 270, 271, 281] },
  arm64: { read: [63, 65], poll: [22, 72, 73] },
}

/** The file that a process waits to read from. One that waits for several counts as waiting for its stdin. */
function readOf(pid: number): { readonly fd: number; readonly polls: boolean } | undefined {
  const calls = CALLS[process.arch]
  if (calls === undefined) return undefined
  try {
    const [number = '', first = ''] = readFileSync(`/proc/${pid}/syscall`, 'latin1').split(' ')
    if (calls.read.includes(Number(number))) return { fd: Number(first), polls: false }
    return calls.poll.includes(Number(number)) ? { fd: 0, polls: true } : undefined
  } catch {
    // It has just ended, belongs to another user, or this machine is none of those that tell.
    return undefined
  }
}

/** A shell that waits for a command has its stdin open too: it feeds it only through an end that it alone can write to. */
function ancestors(tree: readonly TreeProcess[], parent: number): ReadonlySet<number> {
  const above = new Set<number>()
  for (let pid = parent; !above.has(pid); ) {
    above.add(pid)
    pid = tree.find((each) => each.pid === pid)?.parent ?? pid
  }
  return above
}
