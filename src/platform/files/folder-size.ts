import { lstatSync, rmdirSync } from 'node:fs'
import { walk } from './walk.ts'

export interface FolderSize {
  readonly bytes: number
  /** Why `bytes` is incomplete. */
  readonly problem?: string
}

const BOUNDS = { maxEntries: 20_000, maxMs: 1000, skips: () => false }

/**
 * The size of an agent's folder. Removes an empty folder, the usual case, and returns undefined. A link in the folder's
 * place counts as 0 bytes, because its target is not the agent's.
 */
export async function sizeUnlessEmpty(path: string): Promise<FolderSize | undefined> {
  if (removedEmpty(path)) return undefined
  if (lstatSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) return { bytes: 0 }
  let bytes = 0
  const { stopped } = await walk(path, BOUNDS, ({ size }) => {
    bytes += size
  })
  return { bytes, ...(stopped === undefined ? {} : { problem: stopped }) }
}

/** Of a checkout, perhaps with its dependencies. At least: a folder that takes too long to count is not counted to its end. */
export async function bytesIn(path: string): Promise<number> {
  let bytes = 0
  await walk(path, { maxEntries: 1_000_000, maxMs: 10_000, skips: () => false }, ({ size }) => {
    bytes += size
  })
  return bytes
}

function removedEmpty(path: string): boolean {
  try {
    rmdirSync(path)
    return true
  } catch {
    return false
  }
}
