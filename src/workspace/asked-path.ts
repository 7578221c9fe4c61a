import { isAbsolute, join } from 'node:path'
import type { FoundFile } from '../domain/evidence/found-changes.ts'
import { isOther } from '../platform/files/content-stamp.ts'
import { isRealFolder } from '../platform/files/folder.ts'
import { realPathOf } from '../platform/files/same-folder.ts'
import { stampOf } from '../platform/files/walk.ts'
import type { PathBase, Stamps } from '../ports/workspace.ts'
import { folderBase, folderChanges } from './changes-in-folder.ts'
import { at, notBefore, TICK_MS, whenChanged } from './found-changes.ts'
import { withContents } from './stamps.ts'

/** The state of a path, which may be a file, a folder or nothing yet. */
export async function pathBase(asked: string, { cwd, home }: { cwd: string; home: string }): Promise<PathBase> {
  const named = isAbsolute(asked) ? join(asked) : join(cwd, asked)
  const path = realPathOf(named) ?? named
  if (isRealFolder(path)) {
    const { files, filesWhole } = await folderBase(path, home)
    return { path, files, whole: filesWhole }
  }
  const stamp = stampOf(path)
  const own: Stamps = stamp === undefined ? {} : { [ITSELF]: String(stamp.ctime) }
  return { path, files: await withContents(path, own), whole: true }
}

/** The name of the path itself among its files. */
const ITSELF = ''

/** The changes at or below the path, as absolute paths. Everything counts here, also what git ignores. */
export async function pathChanges(
  { path, files, whole, ...own }: PathBase,
  { home, ...order }: { since: number; home: string },
): Promise<FoundFile[]> {
  const { since = order.since } = own
  const before = files[ITSELF]
  const stamp = stampOf(path)
  if (isRealFolder(path) || before === undefined) {
    const inside = isRealFolder(path)
      ? await folderChanges({ kind: 'folder', cwd: path, files, filesWhole: whole }, { since, home })
      : { files: Object.keys(files).map((name) => ({ path: name, when: whenChanged(join(path, name), since) })) }
    const found = inside.files.map((file) => ({ path: join(path, file.path), when: file.when, asked: true as const }))
    if (stamp === undefined || isRealFolder(path)) return found
    const isNew = whole || notBefore(since, TICK_MS)(stamp.ctime)
    return isNew ? [...found, { path, when: at(stamp.ctime), asked: true }] : found
  }
  if (stamp !== undefined && !isOther(before, String(stamp.ctime), path)) return []
  return [{ path, when: whenChanged(path, since), asked: true }]
}
