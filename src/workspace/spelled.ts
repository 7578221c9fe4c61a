import { basename, dirname, isAbsolute, join, relative, sep } from 'node:path'
import { realPathOf } from '../platform/files/same-folder.ts'
import type { Base } from '../ports/workspace.ts'

/**
 * Paths as an agent names them, spelled as those of changes: below the root, or absolute, without links in their folders. A
 * name that is a link stands for itself and for the file behind it.
 */
export function spelled(base: Base, names: Iterable<string>, cwd: string): ReadonlySet<string> {
  return spelledBelow(base.kind === 'git' ? base.root : base.cwd, names, cwd)
}

/** The same for the top folder of those changes. */
export function spelledBelow(top: string, names: Iterable<string>, cwd: string): ReadonlySet<string> {
  const root = realPathOf(top) ?? top
  const folders = new Map<string, string>()
  const found = new Set<string>()
  for (const name of names) {
    const full = isAbsolute(name) ? join(name) : join(cwd, name)
    const folder = dirname(full)
    const real = folders.get(folder) ?? realFolder(folder)
    folders.set(folder, real)
    found.add(below(root, join(real, basename(full))))
    const target = realPathOf(full)
    if (target !== undefined) found.add(below(root, target))
  }
  return found
}

/** Of a folder that is gone, as far as it still exists. */
function realFolder(folder: string): string {
  const real = realPathOf(folder)
  if (real !== undefined || dirname(folder) === folder) return real ?? folder
  return join(realFolder(dirname(folder)), basename(folder))
}

function below(root: string, path: string): string {
  const way = relative(root, path)
  return way === '..' || way.startsWith(`..${sep}`) ? path : way
}
