import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Worktree } from '../../src/domain/run/worktree.ts'
import type { BringOptions, Worktrees } from '../../src/ports/worktrees.ts'
import { homeWorktrees } from '../../src/workspace/worktree/worktrees.ts'
import { temporaryFolder } from './cli.ts'
import { ownerOf } from './git-owner.ts'

export function git(cwd: string, ...argv: readonly string[]): string {
  const who = ['-c', 'user.name=anna', '-c', 'user.email=anna@example.org', '-c', 'protocol.file.allow=always']
  const run = { cwd, encoding: 'utf8' as const, stdio: 'pipe' as const }
  return execFileSync('git', [...who, ...argv], run).trim()
}

export function put(folder: string, name: string, text: string): void {
  mkdirSync(dirname(join(folder, name)), { recursive: true })
  writeFileSync(join(folder, name), text)
}

/** Patterns of files to bring, for a run that goes on. */
export function wanted(...patterns: readonly string[]): BringOptions {
  return { patterns, isWanted: () => true }
}

export interface Repository {
  readonly root: string
  readonly home: string
  readonly worktrees: Worktrees
  /** A worktree of a task, as it is intended. */
  intended(task?: string, more?: Partial<Worktree>): Promise<Worktree>
  /** The same, and made. */
  made(task?: string): Promise<Worktree>
  keep(worktree: Worktree, run?: string): ReturnType<Worktrees['keep']>
}

/** A repository with a commit of `kept.txt` and `dir/deep.txt`, and a home beside it. */
export function repositoryWithHome(folder = temporaryFolder()): Repository {
  const root = join(folder, 'shop')
  const home = join(folder, 'home')
  mkdirSync(root, { recursive: true })
  mkdirSync(home, { recursive: true })
  git(root, 'init', '-q', '-b', 'main')
  put(root, 'kept.txt', 'old\n')
  put(root, 'dir/deep.txt', 'deep\n')
  git(root, 'add', '.')
  git(root, 'commit', '-qm', 'First')
  return inRepository(root, home)
}

export function inRepository(root: string, home: string): Repository {
  const worktrees = homeWorktrees(home, { ownerOf })
  const intended = async (task = 'fleet-a1b', more: Partial<Worktree> = {}): Promise<Worktree> => {
    const found = worktrees.find(root)
    if ('refused' in found) throw new Error(found.refused)
    const chosen = await worktrees.intend({ task, ...found, target: undefined })
    if ('refused' in chosen) throw new Error(chosen.refused)
    const { root: repository, folder } = found
    const path = worktrees.pathOf(task)
    return {
      task,
      repository,
      folder,
      path,
      ...chosen,
      state: 'making',
      madeAt: Date.now(),
      readyAt: null,
      setUp: null,
      ...more,
    }
  }
  return {
    root,
    home,
    worktrees,
    intended,
    async made(task) {
      const worktree = await intended(task)
      const problem = await worktrees.make(worktree)
      if (problem !== undefined) throw new Error(JSON.stringify(problem))
      return { ...worktree, state: 'ready', readyAt: Date.now() }
    },
    keep: (worktree, run = 'run-1') =>
      worktrees.keep(worktree, { message: 'Kept\n', rescue: `refs/fleet/rescue/${run}` }),
  }
}
