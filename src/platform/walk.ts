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

const SLICE_MS = 5

/**
 * Every file below a folder. Links are files here: they are not followed. Nobody waits long meanwhile: it stops every
 * few milliseconds to let others go on. Returns why it is not whole, if it is not.
 */
export async function walk(
  root: string,
  bounds: WalkBounds,
  visit: (file: WalkedFile) => void,
): Promise<string | undefined> {
  const pause = pacer()
  const start = performance.now()
  const folders = ['']
  let entries = 0
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const entry of entriesOf(join(root, folder))) {
      if (++entries > bounds.maxEntries) return `more than ${bounds.maxEntries} files`
      if (performance.now() - start > bounds.maxMs) return `looking took longer than ${bounds.maxMs} ms`
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
  return undefined
}

function entriesOf(path: string) {
  try {
    return readdirSync(path, { withFileTypes: true })
  } catch {
    // Gone meanwhile, or not ours to read: nothing in it can be shown to have changed.
    return []
  }
}

export interface Stamp {
  readonly size: number
  readonly ctime: bigint
}

/** undefined: there is nothing at that path. */
export function stampOf(path: string): Stamp | undefined {
  try {
    const stat = lstatSync(path, { bigint: true })
    return { size: Number(stat.size), ctime: stat.ctimeNs }
  } catch {
    return undefined
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
