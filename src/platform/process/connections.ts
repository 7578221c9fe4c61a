import { readdirSync, readFileSync, readlinkSync } from 'node:fs'

/** How many established TCP connections these processes have open; undefined: this machine does not tell. Linux only. */
export function connectionsOf(pids: readonly number[]): number | undefined {
  const [first] = pids
  if (first === undefined) return undefined
  const established = establishedIn(first)
  if (established === undefined) return undefined
  return pids.reduce((sum, pid) => sum + socketsOf(pid).filter((inode) => established.has(inode)).length, 0)
}

/** As /proc writes it. */
const ESTABLISHED = '01'

/** The sockets of the network namespace of a process. */
function establishedIn(pid: number): ReadonlySet<string> | undefined {
  const found = new Set<string>()
  let isTold = false
  for (const table of ['tcp', 'tcp6']) {
    const text = textOf(`/proc/${pid}/net/${table}`)
    if (text === undefined) continue
    isTold = true
    for (const line of text.split('\n').slice(1)) {
      const fields = line.trim().split(/\s+/)
      if (fields[3] === ESTABLISHED && fields[9] !== undefined) found.add(fields[9])
    }
  }
  return isTold ? found : undefined
}

function socketsOf(pid: number): readonly string[] {
  try {
    return readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
      const [, inode] = /^socket:\[(\d+)\]$/.exec(linkOf(`/proc/${pid}/fd/${fd}`)) ?? []
      return inode === undefined ? [] : [inode]
    })
  } catch {
    return []
  }
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path)
  } catch {
    return ''
  }
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'latin1')
  } catch {
    return undefined
  }
}
