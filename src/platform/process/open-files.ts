import { readdirSync, readFileSync, readlinkSync, realpathSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

/**
 * How a process has a file of this name in this folder: `locked`, as the kernel tells, if it is the one at the path;
 * `open`, be it that one or one that was there before; or not at all. undefined: nothing tells, because this machine has no
 * /proc, or the process is another user's.
 */
export function holdOn(pid: number, path: string): 'locked' | 'open' | 'none' | undefined {
  const real = realPath(path)
  const fds = names(`/proc/${pid}/fd`)
  if (fds.length === 0) return undefined
  const own = fds.filter((fd) => isNamedAs(linkOf(`/proc/${pid}/fd/${fd}`), real))
  if (own.length === 0) return 'none'
  const now = fileIdentity(path)
  const isLocked = own.some((fd) => fileIdentity(`/proc/${pid}/fd/${fd}`) === now && hasWriteLock(pid, fd))
  return isLocked ? 'locked' : 'open'
}

function hasWriteLock(pid: number, fd: string): boolean {
  try {
    return /^lock:.* WRITE /m.test(readFileSync(`/proc/${pid}/fdinfo/${fd}`, 'latin1'))
  } catch {
    return false
  }
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

/** Device and inode; undefined: nothing can be seen there. Opens nothing. */
export function fileIdentity(path: string): string | undefined {
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
