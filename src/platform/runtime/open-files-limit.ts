import { readFileSync } from 'node:fs'
import { atMostEvery } from './at-most-every.ts'

/** The limit of a running process may be raised from outside. */
const READ_EVERY_MS = 5000

/** How many files this process may have open; undefined: nothing says so, or there is no limit. Node raises it to the hard limit. */
export const openFilesLimit = atMostEvery(READ_EVERY_MS, () => limitIn(limitsOfProc()) ?? limitOfShell())

export function limitIn(limits: string): number | undefined {
  const soft = /^Max open files\s+(\d+)/m.exec(limits)?.[1]
  return soft === undefined ? undefined : Number(soft)
}

function limitsOfProc(): string {
  try {
    return readFileSync('/proc/self/limits', 'latin1')
  } catch {
    return ''
  }
}

let ofShell: { readonly limit: number | undefined } | undefined

/** Where there is no /proc, a shell tells the limit that it inherited. Once: it is a process of its own. */
function limitOfShell(): number | undefined {
  ofShell ??= { limit: askShell() }
  return ofShell.limit
}

function askShell(): number | undefined {
  if (process.platform === 'linux') return undefined
  try {
    const { execFileSync } = process.getBuiltinModule('node:child_process')
    const said = Number(execFileSync('/bin/sh', ['-c', 'ulimit -n'], { encoding: 'utf8', timeout: 5000 }))
    return Number.isInteger(said) ? said : undefined
  } catch {
    return undefined
  }
}
