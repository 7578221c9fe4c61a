import { lstatSync, opendirSync, readdirSync, readFileSync, readlinkSync, realpathSync, statSync } from 'node:fs'
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
  const own = fds.filter((fd) => isNamedAs(fileBehind(`/proc/${pid}/fd/${fd}`), real))
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

/** undefined: it is not open. */
export function fileBehind(path: string): string | undefined {
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

/** A file that a process has open. Linux only. */
interface Descriptor {
  /** Where /proc shows it. */
  readonly path: string
  /** The kernel's name for it: `pipe:[812]`, `socket:[7]`, or a path. */
  readonly file: string
}

/** undefined: the process has more open than are looked at. */
export type DescriptorsOf = (pid: number) => readonly Descriptor[] | undefined

/**
 * The descriptors of processes, for one look. Only the links are read: to ask for the file behind one can hang for ever, if
 * its server is away, and the supervisor with it.
 */
export function descriptorLook({ ofOne = 1000, ofAll = 4000 } = {}): DescriptorsOf {
  const seen = new Map<number, readonly Descriptor[] | undefined>()
  let left = ofAll
  return (pid) => {
    if (seen.has(pid)) return seen.get(pid)
    const most = Math.min(ofOne, left)
    const found = atMost(most, pid)
    left -= found?.length ?? most
    seen.set(pid, found)
    return found
  }
}

function atMost(most: number, pid: number): readonly Descriptor[] | undefined {
  const found: Descriptor[] = []
  try {
    const folder = opendirSync(`/proc/${pid}/fd`)
    try {
      for (let entry = folder.readSync(); entry !== null; entry = folder.readSync()) {
        if (found.length >= most) return undefined
        const path = `/proc/${pid}/fd/${entry.name}`
        found.push({ path, file: fileBehind(path) ?? '' })
      }
    } finally {
      folder.closeSync()
    }
  } catch {
    // It has just ended, or belongs to another user.
  }
  return found
}

/** Whether it is open for writing alone, as the mode of the link itself tells. */
export function onlyWrites({ path }: Descriptor): boolean {
  return ((lstatSync(path, { throwIfNoEntry: false })?.mode ?? 0) & 0o700) === 0o300
}
