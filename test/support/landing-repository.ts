import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { LandAs } from '../../src/domain/landing/plan.ts'
import { planFor } from '../../src/domain/landing/plan.ts'
import { Home } from '../../src/platform/files/home.ts'
import type { Brought, LandingPlace, Moved } from '../../src/ports/landing-place.ts'
import { landingPlace } from '../../src/workspace/landing/landing-place.ts'
import { temporaryFolder } from './cli.ts'
import { OWNER, ownerOf } from './git-owner.ts'

const AUTHOR = ['-c', 'user.name=t', '-c', 'user.email=t@example.org']

interface Work {
  readonly commit: string
  readonly base: string
  readonly branch: string
}

interface How {
  readonly as?: LandAs
  /** The programs of the repository as they were before the first run. */
  readonly before?: string
}

/** A repository with a commit on `main`, and tasks that work beside it. */
export class LandingRepository {
  readonly folder = temporaryFolder()
  readonly path: string
  readonly place: LandingPlace
  #base = ''

  constructor({ path, home }: { path?: string; home?: string } = {}) {
    this.path = path ?? join(this.folder, 'project')
    this.place = landingPlace(new Home(home ?? join(this.folder, 'home')), { ...OWNER, ownerOf })
    mkdirSync(this.path)
    this.git('init', '-q', '-b', 'main')
    this.git('config', 'user.name', 'Ada')
    this.git('config', 'user.email', 'ada@example.org')
    this.commit('first', { 'a.txt': 'a\n', 'b.txt': 'b\n' })
    this.#base = this.git('rev-parse', 'HEAD')
  }

  git(...argv: string[]): string {
    return this.gitIn(this.path, ...argv)
  }

  gitIn(path: string, ...argv: string[]): string {
    const stdio = ['ignore', 'pipe', 'pipe'] as const
    return execFileSync('git', ['-C', path, ...AUTHOR, ...argv], { encoding: 'utf8', stdio: [...stdio] }).trim()
  }

  write(path: string, text: string, mode = 0o644): void {
    mkdirSync(dirname(join(this.path, path)), { recursive: true })
    writeFileSync(join(this.path, path), text)
    chmodSync(join(this.path, path), mode)
  }

  /** A commit on the branch that is checked out. */
  commit(message: string, files: Readonly<Record<string, string>>): string {
    for (const [path, text] of Object.entries(files)) this.write(path, text)
    this.git('add', '-A')
    this.git('commit', '-q', '-m', message)
    return this.git('rev-parse', 'HEAD')
  }

  /** The work of a task: commits on a branch of its own, made in a worktree as an agent makes them. */
  work(task: string, ...commits: Readonly<Record<string, string>>[]): Work {
    const branch = `fleet/${task}`
    const path = join(this.folder, 'worktrees', task)
    const base = this.git('rev-parse', 'main')
    this.git('worktree', 'add', '-q', '-b', branch, path, 'main')
    for (const [i, files] of commits.entries()) {
      for (const [name, text] of Object.entries(files)) {
        mkdirSync(dirname(join(path, name)), { recursive: true })
        writeFileSync(join(path, name), text)
      }
      this.gitIn(path, 'add', '-A')
      this.gitIn(path, 'commit', '-q', '-m', `${task} ${i + 1}`)
    }
    return { commit: this.gitIn(path, 'rev-parse', 'HEAD'), base, branch }
  }

  get base(): string {
    return this.#base
  }

  /** All steps of a landing but the checks. */
  async land(task: string, work: Work, how: How = {}): Promise<Brought | Moved | { kind: 'gone'; why: string }> {
    const { brought, tip: from, fingerprint } = await this.bring(task, work, how)
    if (brought.kind !== 'built') return brought
    const { path: repository } = this
    return await this.place.move({ repository, target: 'main', task, from, to: brought.commit, fingerprint })
  }

  /** Builds the commit that would land. */
  async bring(
    task: string,
    { commit, base, branch }: Work,
    { as = 'commits', before }: How = {},
  ): Promise<{ brought: Brought | { kind: 'gone'; why: string }; tip: string; fingerprint: string }> {
    const repository = this.path
    const order = { repository, target: 'main', commit, base }
    const look = await this.place.look(order)
    const fingerprint = before ?? ((await this.place.programs(repository))?.fingerprint as string)
    if (look.kind === 'gone') return { brought: look, tip: '', fingerprint }
    const { tip } = look.facts
    const plan = planFor(as, look.facts)
    if (plan.how === 'nothing') return { brought: { kind: 'nothing' }, tip, fingerprint }
    const worktree = join(this.folder, 'worktrees', task)
    const more = { task: `fleet-${task}`, branch, worktree, title: `Do ${task}`, tip, plan, fingerprint }
    return { brought: await this.place.bring({ ...order, ...more }, new AbortController().signal), tip, fingerprint }
  }
}
