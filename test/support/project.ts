import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { FoundChanges } from '../../src/domain/evidence/found-changes.ts'
import { inPlace } from '../../src/workspace/in-place.ts'
import { temporaryFolder } from './cli.ts'

export const NOTHING = { files: [], commits: [], artifacts: [] }

/** The changes without their times, with the reason behind those that are no evidence by themselves. */
export function plain({ files, commits, ...rest }: FoundChanges) {
  return {
    files: files.map(({ path, weak }) => (weak === undefined ? path : `${path} (${weak})`)),
    commits: commits.map(({ id }) => id),
    ...rest,
  }
}

export interface Project {
  readonly path: string
  readonly artifacts: string
  write(path: string, content: string): void
  git(...argv: string[]): string
  /** The changes that a run makes by doing `work`. */
  changesBy(work: () => void): Promise<ReturnType<typeof plain>>
}

/** A working directory with a home beside it; `git`: with a commit of two files. */
export function project(kind: 'git' | 'folder', where = 'project'): Project {
  const folder = temporaryFolder()
  const path = join(folder, where)
  const home = join(folder, 'home')
  const artifacts = join(home, 'tasks', 'fleet-a1b', 'artifacts')
  mkdirSync(path, { recursive: true })
  mkdirSync(artifacts, { recursive: true })
  const write = (name: string, content: string): void => {
    mkdirSync(dirname(join(path, name)), { recursive: true })
    writeFileSync(join(path, name), content)
  }
  const git = (...argv: string[]): string =>
    execFileSync('git', ['-C', path, '-c', 'user.name=t', '-c', 'user.email=t@example.org', ...argv], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    }).trim()
  if (kind === 'git') {
    git('init', '-q', '-b', 'main')
    write('a.txt', 'a\n')
    write('dir/b.txt', 'b\n')
    git('add', '.')
    git('commit', '-q', '-m', 'first')
  }
  const changesBy = async (work: () => void) => {
    const base = JSON.parse(JSON.stringify(await inPlace.base(path, home)))
    const since = Date.now()
    work()
    return plain(await inPlace.changes(base, { since, artifacts, home }))
  }
  return { path, artifacts, write, git, changesBy }
}
