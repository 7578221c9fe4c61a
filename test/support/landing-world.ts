import { execFileSync } from 'node:child_process'
import type { Landing } from '../../src/domain/landing/landing.ts'
import { settingsOf } from '../../src/domain/task/settings.ts'
import type { Verification, Verifier, VerifyOrder } from '../../src/ports/verifier.ts'
import { type TestWorld, testWorld } from './world.ts'

type Answers = Parameters<typeof testWorld>[0]

const WORK = 'echo more >>work.txt; git add work.txt; git commit -qm "Work"'

interface LandingWorld extends TestWorld {
  readonly id: string
  readonly repository: string
  git(...argv: string[]): string
  subjects(): string[]
  newest(): Landing | undefined
  /** The time of the supervisor goes on at once. */
  later(ms: number): void
}

/** A world whose merged trees are checked by `check`, and a task that works in a repository there. */
export async function landingWorld(
  check: (subject: string, signal: AbortSignal, order: VerifyOrder) => Promise<Verification>,
  {
    keyOf = () => '',
    queue = () => ({}),
    setup,
    settings = {},
  }: Partial<Pick<Verifier, 'keyOf'>> & { queue?: Answers; setup?: string; settings?: Record<string, string> } = {},
): Promise<LandingWorld> {
  let ahead = 0
  const made = await testWorld(queue, ({ verifier, environment, clock, policy }) => ({
    ...(setup !== undefined && {
      policy: () => ({ ...policy(), worktree: (project) => ({ ...policy().worktree(project), setup }) }),
    }),
    verifier: {
      ...verifier,
      keyOf,
      hasCommands: () => true,
      verify: (order, signal) => check(order.subject, signal, order),
    },
    environment: { ...environment, of: (run, more) => ({ ...environment.of(run), ...more, ...ADA }) },
    clock: { ...clock, now: () => Date.now() + ahead },
  }))
  const { world, store } = made
  const id = await made.script(WORK, { isolation: 'worktree', ...settings })
  const { cwd = '' } = settingsOf((await store.queue.get(id))?.metadata ?? {})
  const git = (...argv: string[]): string =>
    execFileSync('git', argv, { cwd, encoding: 'utf8', env: { ...process.env, ...ADA } }).trim()
  git('init', '-q', '-b', 'main')
  git('config', 'user.name', 'Ada')
  git('config', 'user.email', 'ada@example.org')
  git('commit', '-q', '--allow-empty', '-m', 'First')
  return {
    ...made,
    id,
    repository: cwd,
    git,
    later(ms) {
      ahead += ms
    },
    subjects: () => git('log', '--format=%s', 'main').split('\n'),
    newest: () => world.ledger.landings.of(id),
  }
}

const ADA = {
  GIT_AUTHOR_NAME: 'Ada',
  GIT_AUTHOR_EMAIL: 'ada@example.org',
  GIT_COMMITTER_NAME: 'Ada',
  GIT_COMMITTER_EMAIL: 'ada@example.org',
}
