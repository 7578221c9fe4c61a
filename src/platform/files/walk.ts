import { lstatSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'

export interface WalkBounds {
  readonly maxEntries: number
  readonly maxMs: number
  /** Folders that are not entered, by their path below the root. */
  readonly skips: (path: string) => boolean
}

export interface WalkedFile {
  /** Below the root. */
  readonly path: string
  readonly size: number
  /** When its content or its name last changed, in nanoseconds. Unlike mtime nobody can set it. */
  readonly ctime: bigint
}

export interface Walked {
  /** Why it went no further, if it did not. */
  readonly stopped?: string
  /** Folders that were gone when it came to them, or are not ours to read: nobody knows what is in them. */
  readonly unread: number
}

const SLICE_MS = 5

/**
 * Every file below a folder, the nearest ones first, in the same order each time: what people work on is rarely as deep
 * as what they installed. Links are files here: they are not followed. Nobody waits long meanwhile: it stops every few
 * milliseconds to let others go on.
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
        return { stopped: `looking took longer than ${bounds.maxMs} ms`, unread }
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

/** undefined: there is nothing at that path, or nothing that we may look at. */
export function stampOf(path: string): Stamp | undefined {
  try {
    const stat = lstatSync(path, { bigint: true })
    return { size: Number(stat.size), ctime: stat.ctimeNs }
  } catch {
    return undefined
  }
}

/** Whether nothing is at a path. What we may not look at can well be there. */
export function isGone(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) === undefined
  } catch {
    return false
  }
}

/** The stamp of the nearest folder above that is still there: what was deleted in it changed it. */
export function stampAbove(path: string): Stamp | undefined {
  for (let above = dirname(path); ; above = dirname(above)) {
    const stamp = stampOf(above)
    if (stamp !== undefined || above === dirname(above)) return stamp
  }
}

/** Lets the event loop turn once this has worked for a slice of time. */
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
