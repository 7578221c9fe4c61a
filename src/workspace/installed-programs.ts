import { join } from 'node:path'
import { namesIn } from '../platform/files/folder.ts'
import { realPathOf, wayDown } from '../platform/files/same-folder.ts'

const FOLDERS = ['.bin', 'bin', 'Scripts']
const MOST = 300

/**
 * The programs in a folder of installed packages, with the files that they lead to, as paths below `root`: what commands of
 * the project start from there.
 */
export function programsOf(root: string, packages: string): readonly string[] {
  const found = new Set<string>()
  for (const folder of FOLDERS) {
    const way = join(packages, folder)
    for (const name of namesIn(join(root, way)).toSorted().slice(0, MOST)) {
      const path = join(way, name)
      found.add(path)
      const real = realPathOf(join(root, path))
      const target = real === undefined ? undefined : wayDown(root, real)
      if (target !== undefined) found.add(target)
    }
  }
  return [...found]
}
