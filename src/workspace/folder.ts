import { walk } from '../platform/walk.ts'
import type { Base } from '../ports/workspace.ts'
import { type Found, homeIn, notBefore } from './found.ts'

/** Longer than the granularity of any file system's clock (FAT has two seconds). */
const RECENT_MS = 2500
const BOUNDS = { maxEntries: 50_000, maxMs: 3000 }

type FolderBase = Extract<Base, { kind: 'folder' }>

/** A directory that is not under git: what was changed can only be told by its times. */
export async function folderBase(cwd: string): Promise<FolderBase> {
  const recent: Record<string, string> = {}
  const fresh = notBefore(Date.now(), RECENT_MS)
  await walk(cwd, { ...BOUNDS, skips: isGit }, ({ path, ctime }) => {
    if (fresh(ctime)) recent[path] = String(ctime)
  })
  return { kind: 'folder', cwd, recent }
}

export async function folderChanges(base: FolderBase, more: { since: number; home: string }): Promise<Found> {
  const ofHome = homeIn(base.cwd, more.home)
  const fresh = notBefore(more.since, RECENT_MS)
  const files: string[] = []
  const bounds = { ...BOUNDS, skips: (path: string) => isGit(path) || ofHome(path) }
  const unknown = await walk(base.cwd, bounds, ({ path, ctime }) => {
    if (fresh(ctime) && base.recent[path] !== String(ctime)) files.push(path)
  })
  return { files: files.sort(), commits: [], ...(unknown === undefined ? {} : { unknown }) }
}

function isGit(path: string): boolean {
  return path === '.git' || path.endsWith('/.git')
}
