import { existsSync, statfsSync } from 'node:fs'
import { availableParallelism, hostname, userInfo } from 'node:os'
import { dirname } from 'node:path'

/** Bytes that this user can still write at a path, or at its nearest folder that exists. */
export function freeDisk(path: string): number {
  let at = path
  while (!existsSync(at) && dirname(at) !== at) at = dirname(at)
  const { bavail, bsize } = statfsSync(at)
  return bavail * bsize
}

/** Bytes that new processes can have, limits of a container included. */
export function availableMemory(): number {
  return process.availableMemory()
}

/** That this process may use. */
export function processors(): number {
  return availableParallelism()
}

export interface Account {
  readonly name: string
  readonly isRoot: boolean
}

export function account(): Account {
  const uid = process.getuid?.()
  return { name: userName() ?? `uid ${uid}`, isRoot: uid === 0 }
}

export function hostName(): string {
  return hostname()
}

/** As the user database has it, which need not know the user of a container. */
export function userName(): string | undefined {
  try {
    return userInfo().username || undefined
  } catch {
    return undefined
  }
}
