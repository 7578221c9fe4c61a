import { closeSync, fstatSync, openSync, readFileSync, statSync, unlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { chanceHex } from '../runtime/chance.ts'

/** A file that belongs to somebody else. */
interface Foreign {
  readonly path: string
  /** The name of its owner, or `uid 1234`. */
  readonly owner: string
}

/** This user's number; undefined where the machine has none. */
export function ownUid(): number | undefined {
  return process.getuid?.()
}

/** The first of these files that exists and belongs to somebody else. */
function foreignAmong(paths: readonly string[]): Foreign | undefined {
  const own = ownUid()
  for (const path of own === undefined ? [] : paths) {
    const uid = ownerOf(path)
    if (uid !== undefined && uid !== own) return { path, owner: userNamed(uid) }
  }
  return undefined
}

/** For a person whose file cannot be used: whose it is and how to get it back; undefined: it is theirs. */
export function foreignHint(path: string): string | undefined {
  if (ownUid() === 0) return undefined
  const foreign = foreignAmong([path, `${path}-wal`, `${path}-shm`, dirname(path)])
  if (foreign === undefined) return undefined
  const { path: whose, owner } = foreign
  const made = owner === 'root' ? ' (a fleet that ran with sudo may have made it)' : ''
  return `${whose} belongs to ${owner}${made}; if it is yours, take it back: sudo chown -R ${userNamed(ownUid() ?? 0)} ${whose}`
}

export function ownerOf(path: string): number | undefined {
  try {
    return statSync(path).uid
  } catch {
    return undefined
  }
}

/**
 * The owner of the files that this process makes there; undefined: it can make none. A file system of another machine may
 * give every new file to the same user, and root cannot change that.
 */
export function ownerOfNew(folder: string): number | undefined {
  const path = join(folder, `.owner-${chanceHex(8)}`)
  try {
    const fd = openSync(path, 'wx', 0o600)
    const { uid } = fstatSync(fd)
    closeSync(fd)
    unlinkSync(path)
    return uid
  } catch {
    return undefined
  }
}

/** As /etc/passwd knows the user. A directory service may know more: then the number must do. */
export function userNamed(uid: number): string {
  try {
    for (const line of readFileSync('/etc/passwd', 'utf8').split('\n')) {
      const [name = '', , number] = line.split(':')
      if (number === String(uid)) return name
    }
  } catch {
    // A minimal container has none.
  }
  return uid === 0 ? 'root' : `uid ${uid}`
}
