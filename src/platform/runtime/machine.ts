import { existsSync, statfsSync } from 'node:fs'
import { availableParallelism, hostname, userInfo } from 'node:os'
import { dirname } from 'node:path'
import { macMemory } from './mac-memory.ts'

/** Free bytes for this user at a path, or at its nearest existing folder. */
export function freeDisk(path: string): number {
  let at = path
  while (!existsSync(at) && dirname(at) !== at) at = dirname(at)
  const { bavail, bsize } = statfsSync(at)
  return bavail * bsize
}

/** Bytes available to new processes, within the limits of a container. */
export function availableMemory(platform: NodeJS.Platform = process.platform): number {
  return (platform === 'darwin' ? macMemory() : undefined) ?? process.availableMemory()
}

/** The processors that this process may use. */
export function processors(): number {
  return availableParallelism()
}

export interface Account {
  readonly name: string
  readonly uid: number
  readonly isRoot: boolean
}

export function account(): Account {
  const uid = process.getuid?.()
  return { name: userName() ?? `uid ${uid}`, uid: uid ?? -1, isRoot: uid === 0 }
}

export function hostName(): string {
  return hostname()
}

/** From the user database, which may not know the user of a container. */
export function userName(): string | undefined {
  try {
    return userInfo().username || undefined
  } catch {
    return undefined
  }
}
