import { isAbsolute, join } from 'node:path'
import type { FoundFile } from '../domain/evidence/found-changes.ts'
import { isOther } from '../platform/files/content-stamp.ts'
import { isGone, pacer, stampOf, walk } from '../platform/files/walk.ts'
import type { ChangesOrder, FolderBase, Stamps } from '../ports/workspace.ts'
import { at, byPath, type Found, homeIn, isFinderFile, notBefore, whenChanged } from './found-changes.ts'
import { namedElsewhere } from './named-elsewhere.ts'
import { isOtherModeAlone, STAMPS_LIMIT, withContents } from './stamps.ts'
import { weighed } from './weigh.ts'

/** Longer than the timestamp granularity of any file system (FAT has two seconds). */
const RECENT_MS = 2500
/** The time is for disks that hardly answer: what counts must not depend on the load. */
const BOUNDS = { maxEntries: 50_000, maxMs: 60_000 }

/**
 * A directory that is not under git, so only this record knows what was there. Beyond the limit it keeps only files that
 * changed in the last moments: a file system's clock cannot tell those from later changes.
 */
export async function folderBase(cwd: string, home: string): Promise<FolderBase> {
  const times: Record<string, string> = Object.create(null)
  const fresh = notBefore(Date.now(), RECENT_MS)
  let nearest = 0
  let recent = 0
  let whole = true
  const walked = await walk(cwd, boundsIn(cwd, home), ({ path, ctime }) => {
    if (nearest < STAMPS_LIMIT) nearest++
    else {
      whole = false
      if (!fresh(ctime) || recent >= STAMPS_LIMIT) return
      recent++
    }
    times[path] = String(ctime)
  })
  const filesWhole = whole && walked.stopped === undefined && walked.unread === 0
  return { kind: 'folder', cwd, files: await withContents(cwd, times), filesWhole }
}

/** With the reason where a change is no evidence by itself. */
export async function weighedFolderChanges(base: FolderBase, more: ChangesOrder): Promise<Found> {
  const { cwd, files: before = {} } = base
  const found = await folderChanges(base, more)
  const known = new Set(found.files.map(({ path }) => path))
  // Where the walk ended before all was seen, the names that the agent's tools tell still lead to its files.
  const isKnown = (path: string): boolean =>
    known.has(path) || (!isAbsolute(path) && (found.unknown === undefined || Object.hasOwn(before, path)))
  const { since, home, named = new Set() } = more
  const elsewhere = await namedElsewhere(undefined, { root: cwd, since, home, named, known: isKnown })
  const files = await weighed([...found.files, ...elsewhere], {
    root: cwd,
    artifacts: more.artifacts,
    byProducts: more.byProducts,
    isNew: (path) => !Object.hasOwn(before, path),
    weakness: (path) => (isOtherModeAlone(before[path], join(cwd, path)) ? 'mode' : undefined),
  })
  return { ...found, files: files.sort(byPath) }
}

export async function folderChanges(base: FolderBase, more: { since: number; home: string }): Promise<Found> {
  // A record of an earlier version has neither: then the times decide.
  const { cwd, files: before = {}, filesWhole = false } = base
  const fresh = notBefore(more.since, RECENT_MS)
  const files: FoundFile[] = []
  const { stopped } = await walk(cwd, boundsIn(cwd, more.home), ({ path, ctime }) => {
    if (!Object.hasOwn(before, path) && !isFinderFile(path) && (filesWhole || fresh(ctime)))
      files.push({ path, when: at(ctime) })
  })
  for (const path of await changedOrGone(cwd, before))
    files.push({ path, when: whenChanged(join(cwd, path), more.since) })
  return { files: files.sort(byPath), commits: [], ...(stopped === undefined ? {} : { unknown: unseenText(stopped) }) }
}

/** With what helps. */
function unseenText(stopped: string): string {
  const cure = 'name where the work will be (--evidence path:<path>), or put the directory under git'
  return `only a part of its directory, which is not under git, was looked at (${stopped}); ${cure}`
}

/** Checked one by one: a file that a walk did not reach need not be gone. */
async function changedOrGone(cwd: string, before: Stamps): Promise<string[]> {
  const pause = pacer()
  const found: string[] = []
  for (const [path, stamp] of Object.entries(before)) {
    if (isFinderFile(path)) continue
    await pause()
    const full = join(cwd, path)
    const now = stampOf(full)
    if (now === undefined ? isGone(full) : isOther(stamp, String(now.ctime), full)) found.push(path)
  }
  return found
}

function boundsIn(cwd: string, home: string) {
  const isInHome = homeIn(cwd, home)
  return { ...BOUNDS, skips: (path: string) => isGit(path) || isInHome(path) }
}

function isGit(path: string): boolean {
  return path === '.git' || path.endsWith('/.git')
}
