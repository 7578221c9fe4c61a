import { hash } from 'node:crypto'
import type { LookingGit } from '../platform/git/look.ts'
import { entriesOf, textOf } from '../platform/git/work-files.ts'
import type { GitBase } from '../ports/workspace.ts'
import { outputOf } from './git.ts'

const PLAINLY = ['--no-renames', '--no-color', '--no-ext-diff', '--no-textconv', '--ignore-submodules=dirty']

/**
 * In a worktree whose branch was brought onto a newer target since, by a rebase or a merge: whether all that happened to a
 * path is that. The work of an earlier attempt that only moved along is no work of this one. undefined: the branch leaves its
 * target where it did.
 */
export async function broughtAlong(
  git: LookingGit,
  { head, own }: GitBase,
): Promise<((path: string) => boolean) | undefined> {
  if (head === null || own === undefined || own.target === null || head === own.since) return undefined
  const target = `refs/heads/${own.target}`
  const [before, now] = await Promise.all([common(git, head, target), common(git, 'HEAD', target)])
  if (before === undefined || now === undefined || before === now) return undefined
  const [old, fresh, taken] = await Promise.all([
    linesOf(git, [before, head]),
    linesOf(git, [now]),
    entriesOf(git, ['diff', '--name-only', '-z', ...PLAINLY, before, now, '--']),
  ])
  if (old === undefined || fresh === undefined || taken === undefined) return undefined
  const isOfTarget = new Set(taken)
  return (path) => old.get(path) === fresh.get(path) && (old.has(path) || isOfTarget.has(path))
}

async function common(git: LookingGit, one: string, other: string): Promise<string | undefined> {
  return outputOf(await git(['merge-base', one, other]))?.trim()
}

/** By path, the lines that were added and removed, wherever they stand in the file. */
async function linesOf(git: LookingGit, between: readonly string[]): Promise<ReadonlyMap<string, string> | undefined> {
  const [names, text] = await Promise.all([
    entriesOf(git, ['diff', '--name-only', '-z', ...PLAINLY, ...between, '--']),
    textOf(git, ['diff', '--unified=0', '--binary', ...PLAINLY, ...between, '--']),
  ])
  const parts = text?.split(/^(?=diff --git )/m).filter((part) => part !== '')
  if (names === undefined || parts?.length !== names.length) return undefined
  return new Map(names.map((name, i) => [name, hash('sha256', withoutPlaces(parts[i] as string))]))
}

function withoutPlaces(diff: string): string {
  return diff
    .split('\n')
    .filter((line) => !/^(?:index |@@ )/.test(line))
    .join('\n')
}
