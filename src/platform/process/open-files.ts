import { readdirSync, readlinkSync, realpathSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

/**
 * A process of this user that has a file of this name open, in this folder, which is no longer the one at the path: somebody
 * removed it, renamed it or put another in its place. undefined: there is none, or this machine has no /proc to ask.
 */
export function holderOfOtherFile(path: string): number | undefined {
  const real = realPath(path)
  const now = identity(path)
  for (const name of names('/proc')) {
    const pid = Number(name)
    if (!Number.isInteger(pid) || pid === process.pid) continue
    for (const fd of names(`/proc/${name}/fd`)) {
      const file = `/proc/${name}/fd/${fd}`
      if (isNamedAs(linkOf(file), real) && identity(file) !== now) return pid
    }
  }
  return undefined
}

/**
 * Whether the process has a file of this name open, in this folder, be it the one at the path or one that was there before.
 * undefined: nothing tells, because this machine has no /proc, or the process is another user's.
 */
export function hasOpen(pid: number, path: string): boolean | undefined {
  const real = realPath(path)
  const open = names(`/proc/${pid}/fd`)
  return open.length === 0 ? undefined : open.some((fd) => isNamedAs(linkOf(`/proc/${pid}/fd/${fd}`), real))
}

/** `…/lock.db`, `…/lock.db (deleted)`, `…/lock.db.old`; not the files that SQLite keeps beside it. */
function isNamedAs(link: string | undefined, path: string): boolean {
  return link?.startsWith(path) === true && !/^-(wal|shm|journal)/.test(link.slice(path.length))
}

function realPath(path: string): string {
  try {
    return join(realpathSync(dirname(path)), basename(path))
  } catch {
    return path
  }
}

function linkOf(path: string): string | undefined {
  try {
    return readlinkSync(path)
  } catch {
    return undefined
  }
}

function identity(path: string): string | undefined {
  try {
    const { dev, ino } = statSync(path)
    return `${dev} ${ino}`
  } catch {
    return undefined
  }
}

/** Empty for a process that has just ended, or is another user's. */
function names(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
