import { readFileSync } from 'node:fs'
import type { DescriptorsOf } from './open-files.ts'

/** How many established TCP connections these processes have open; undefined: this machine does not tell, or too much is open. Linux only. */
export function connectionsOf(pids: readonly number[], descriptorsOf: DescriptorsOf): number | undefined {
  const [first] = pids
  if (first === undefined) return undefined
  const established = establishedIn(first)
  if (established === undefined) return undefined
  const open = pids.map(descriptorsOf)
  if (open.includes(undefined)) return undefined
  return open.flatMap((each) => each ?? []).filter(({ file }) => established.has(file)).length
}

/** As /proc writes it. */
const ESTABLISHED = '01'

/** The sockets of the network namespace of a process, as its descriptors name them. */
function establishedIn(pid: number): ReadonlySet<string> | undefined {
  const found = new Set<string>()
  let isTold = false
  for (const table of ['tcp', 'tcp6']) {
    const text = textOf(`/proc/${pid}/net/${table}`)
    if (text === undefined) continue
    isTold = true
    for (const line of text.split('\n').slice(1)) {
      const fields = line.trim().split(/\s+/)
      if (fields[3] === ESTABLISHED && fields[9] !== undefined) found.add(`socket:[${fields[9]}]`)
    }
  }
  return isTold ? found : undefined
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'latin1')
  } catch {
    return undefined
  }
}
