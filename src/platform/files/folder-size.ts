import { lstatSync, rmdirSync } from 'node:fs'
import { walk } from './walk.ts'

export interface FolderSize {
  readonly bytes: number
  /** Why that is not all of it. */
  readonly problem?: string
}

const BOUNDS = { maxEntries: 20_000, maxMs: 1000, skips: () => false }

/**
 * What an agent's folder holds. An empty one, which is the usual one, goes at once: undefined. One that it put a link in the
 * place of holds nothing: what is behind that is not its own.
 */
export async function unlessEmpty(path: string): Promise<FolderSize | undefined> {
  if (removedEmpty(path)) return undefined
  if (lstatSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) return { bytes: 0 }
  let bytes = 0
  const { stopped } = await walk(path, BOUNDS, ({ size }) => {
    bytes += size
  })
  return { bytes, ...(stopped === undefined ? {} : { problem: stopped }) }
}

function removedEmpty(path: string): boolean {
  try {
    rmdirSync(path)
    return true
  } catch {
    return false
  }
}
