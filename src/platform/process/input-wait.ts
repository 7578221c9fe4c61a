import { readdirSync, readFileSync, readlinkSync, type Stats, statSync } from 'node:fs'
import type { InputWait } from '../../domain/run/diagnosis/look.ts'

/** A process of a run, the one above it, and the name of its program. */
export interface TreeProcess {
  readonly pid: number
  readonly parent: number
  readonly name: string
}

/**
 * The first of these processes that waits for input from outside of them: it reads a terminal, or its stdin is a pipe or
 * socket that it reads and that nothing beside it feeds. Linux only; undefined: none is seen to.
 */
export function inputWait(tree: readonly TreeProcess[]): InputWait | undefined {
  for (const { pid, parent, name } of tree) {
    const read = readOf(pid)
    const file = read === undefined ? undefined : target(pid, read.fd)
    if (read === undefined || file === undefined) continue
    if (isTerminal(pid, read.fd)) return { pid, name, on: 'terminal' }
    const isStream = file.isFIFO() || file.isSocket()
    if (read.fd !== 0 || read.polls || !isStream) continue
    const above = ancestors(tree, parent)
    const beside = tree.filter((each) => each.pid !== pid && !above.has(each.pid))
    if (!beside.some((each) => hasOpen(each.pid, file))) return { pid, name, on: 'stdin' }
  }
  return undefined
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

function target(pid: number, fd: number): Stats | undefined {
  try {
    return statSync(`/proc/${pid}/fd/${fd}`)
  } catch {
    return undefined
  }
}

function isTerminal(pid: number, fd: number): boolean {
  try {
    return /^\/dev\/(?:pts\/|tty|console)/.test(readlinkSync(`/proc/${pid}/fd/${fd}`))
  } catch {
    return false
  }
}

/** A shell that waits for a command has its stdin open too. */
function ancestors(tree: readonly TreeProcess[], parent: number): ReadonlySet<number> {
  const above = new Set<number>()
  for (let pid = parent; !above.has(pid); ) {
    above.add(pid)
    pid = tree.find((each) => each.pid === pid)?.parent ?? pid
  }
  return above
}

function hasOpen(pid: number, { dev, ino }: Stats): boolean {
  try {
    return readdirSync(`/proc/${pid}/fd`).some((fd) => {
      const other = target(pid, Number(fd))
      return other?.dev === dev && other.ino === ino
    })
  } catch {
    return false
  }
}
