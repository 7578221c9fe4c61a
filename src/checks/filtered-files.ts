import type { LookingGit } from '../platform/git/look.ts'
import { LONG_LIST, namesIn, outputOf } from './git-facts.ts'

/**
 * Those of the files that are as committed although their bytes are not: a filter, such as git-lfs, writes others into the
 * checkout, and fleet runs no filter. For these the repository's own index tells, where it hides nothing. `files`: the id of
 * the base version by path.
 */
export async function filteredUnchanged(
  git: LookingGit,
  files: ReadonlyMap<string, string>,
): Promise<readonly string[]> {
  const filtered = await withFilter(git, [...files.keys()])
  if (filtered.length === 0) return []
  const entries = namesIn(await outputOf(git, ['ls-files', '-z', '--stage'], LONG_LIST))
  const ids = new Map(entries.map((entry) => [entry.slice(entry.indexOf('\t') + 1), entry.split(' ')[1]]))
  const tagged = namesIn(await outputOf(git, ['ls-files', '-z', '-v'], LONG_LIST))
  const plain = new Set(tagged.filter((entry) => entry.startsWith('H ')).map((entry) => entry.slice(2)))
  const modified = new Set(namesIn(await outputOf(git, [...TRUSTED, 'ls-files', '-z', '--modified'], LONG_LIST)))
  return filtered.filter((path) => ids.get(path) === files.get(path) && plain.has(path) && !modified.has(path))
}

/** The change time counts too: no program can choose it. */
const TRUSTED = ['-c', 'core.trustctime=true', '-c', 'core.checkstat=default']

async function withFilter(git: LookingGit, paths: readonly string[]): Promise<readonly string[]> {
  if (paths.length === 0) return []
  const input = paths.map((path) => `${path}\0`).join('')
  const words = (await outputOf(git, ['check-attr', '-z', '--stdin', 'filter'], { ...LONG_LIST, input })).split('\0')
  const found: string[] = []
  for (let i = 0; i + 2 < words.length; i += 3) {
    if (words[i + 2] !== 'unspecified' && words[i + 2] !== 'unset') found.push(words[i] as string)
  }
  return found
}
