import { lstatSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'

export interface WalkBounds {
  readonly maxEntries: number
  readonly maxMs: number
  /** Folders to skip, by their path relative to the root. */
  readonly skips: (path: string) => boolean
}

export interface WalkedFile {
  /** Relative to the root. */
  readonly path: string
  readonly size: number
  /** Inode change time in nanoseconds. Unlike mtime it cannot be set. */
  readonly ctime: bigint
}

export interface Walked {
  /** Why the walk stopped early, if it did. */
  readonly stopped?: string
  /** Number of folders that were deleted meanwhile or cannot be read: their contents are unknown. */
  readonly unread: number
}

const SLICE_MS = 5

/**
 * Visits every file below a folder in a stable order, breadth first: people's own files are rarely as deep as installed
 * packages. Treats links as files and does not follow them. Yields to the event loop every few milliseconds.
 */
export async function walk(root: string, bounds: WalkBounds, visit: (file: WalkedFile) => void): Promise<Walked> {
  const pause = pacer()
  const start = performance.now()
  const folders = ['']
  let count = 0
  let unread = 0
  for (const folder of folders) {
    const entries = entriesOf(join(root, folder))
    if (entries === undefined) unread++
    for (const entry of entries ?? []) {
      if (++count > bounds.maxEntries) return { stopped: `more than ${bounds.maxEntries} files`, unread }
      if (performance.now() - start > bounds.maxMs) {
        return { stopped: `reading it took longer than ${bounds.maxMs} ms`, unread }
      }
      await pause()
      const path = join(folder, entry.name)
      if (entry.isDirectory()) {
        if (!bounds.skips(path)) folders.push(path)
        continue
      }
      const stamp = stampOf(join(root, path))
      if (stamp !== undefined) visit({ path, ...stamp })
    }
  }
  return { unread }
}

function entriesOf(path: string) {
  try {
    return readdirSync(path, { withFileTypes: true })
  } catch {
    return undefined
  }
}

export interface Stamp {
  readonly size: number
  readonly ctime: bigint
}

/** undefined: nothing is at that path, or it cannot be read. */
export function stampOf(path: string): Stamp | undefined {
  try {
    const stat = lstatSync(path, { bigint: true })
    return { size: Number(stat.size), ctime: stat.ctimeNs }
  } catch {
    return undefined
  }
}

/** When the file at a path was made, in milliseconds; undefined: it cannot be read, or its file system does not tell. */
export function madeAt(path: string): number | undefined {
  try {
    const { birthtimeMs } = lstatSync(path)
    return birthtimeMs > 0 ? birthtimeMs : undefined
  } catch {
    return undefined
  }
}

export interface FileTimes {
  /** In milliseconds; undefined: its file system does not tell. */
  readonly made: number | undefined
  readonly modified: number
  /** How many names it has. */
  readonly links: number
}

/** undefined: nothing is at that path, or it cannot be read. */
export function fileTimes(path: string): FileTimes | undefined {
  try {
    const { birthtimeMs, mtimeMs, nlink } = lstatSync(path)
    return { made: birthtimeMs > 0 ? birthtimeMs : undefined, modified: mtimeMs, links: nlink }
  } catch {
    return undefined
  }
}

/** Whether the path certainly does not exist. A path that cannot be read may exist. */
export function isGone(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) === undefined
  } catch {
    return false
  }
}

/** The stamp of the nearest existing parent folder. A deletion in it changes that stamp. */
export function stampAbove(path: string): Stamp | undefined {
  for (let above = dirname(path); ; above = dirname(above)) {
    const stamp = stampOf(above)
    if (stamp !== undefined || above === dirname(above)) return stamp
  }
}

/** Returns a function that yields to the event loop once a time slice has passed. */
export function pacer(): () => Promise<void> | undefined {
  let since = performance.now()
  return () => {
    if (performance.now() - since < SLICE_MS) return undefined
    return new Promise((resolve) =>
      setImmediate(() => {
        since = performance.now()
        resolve()
      }),
    )
  }
}
