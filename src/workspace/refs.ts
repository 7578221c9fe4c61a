import { join } from 'node:path'
import type { FoundRef } from '../domain/evidence/found-changes.ts'
import { stampOf } from '../platform/files/walk.ts'
import type { LookingGit } from '../platform/git/look.ts'
import { at } from './found-changes.ts'
import { outputOf } from './git.ts'

type Refs = Readonly<Record<string, string>>

const LIMIT = 5000
/** Not the stash, nor fleet's own. */
const KINDS = ['refs/heads', 'refs/tags', 'refs/remotes']

/** The branches and tags by name, with the objects that they stand for. */
export async function refsOf(git: LookingGit): Promise<Refs> {
  const text = outputOf(await git(['for-each-ref', `--count=${LIMIT}`, '--format=%(objectname) %(refname)', ...KINDS]))
  const refs: Record<string, string> = Object.create(null)
  for (const line of (text ?? '').split('\n')) {
    const [id = '', name = ''] = line.split(' ')
    if (name !== '') refs[name] = id
  }
  return refs
}

/** Those that were made, moved or deleted since. */
export async function changedRefs(
  git: LookingGit,
  before: Refs,
  { since, folder }: { since: number; folder: string },
): Promise<FoundRef[]> {
  const now = await refsOf(git)
  const names = new Set([...Object.keys(before), ...Object.keys(now)])
  return [...names]
    .filter((name) => before[name] !== now[name])
    .map((name) => {
      const stamp = now[name] === undefined ? undefined : stampOf(join(folder, name))
      return { name, when: stamp === undefined ? { from: since, to: Number.MAX_SAFE_INTEGER } : at(stamp.ctime) }
    })
}
