import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { claims, init, result, testFleet, tool, until, writes } from '../../support/supervisor.ts'

/** The supervisor is killed while a hook or a check holds its landing at one step. */

const git = (cwd: string, ...argv: readonly string[]): string =>
  execFileSync('git', ['-c', 'user.name=anna', '-c', 'user.email=anna@example.org', ...argv], {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  }).trim()

const HOLD = `touch "$FLEET_HOME/held"\nwhile [ ! -e "$FLEET_HOME/go" ]; do sleep 0.05; done\n`

const STEPS: Readonly<
  Record<string, (at: { hook(name: string, text: string): void; verify(command: string): void }) => void>
> = {
  'while it builds the new tip': ({ hook }) => hook('post-checkout', HOLD),
  'while the merged tree is checked': ({ verify }) =>
    verify('case "$PWD" in */landing/*) touch ../../../held; until [ -e ../../../go ]; do sleep 0.05; done;; esac'),
  'just before the target moves': ({ hook }) =>
    hook(
      'reference-transaction',
      `[ "$1" = prepared ] && grep -q refs/heads/main && [ -n "$FLEET_HOME" ] || exit 0\n${HOLD}`,
    ),
  'just after the target has moved': ({ hook }) => hook('post-merge', HOLD),
}

test.each(Object.keys(STEPS))('a supervisor that is killed %s: the next one lands the work, once', async (step) => {
  const fleet = testFleet({ config: ['isolation=worktree'] })
  const repository = fleet.project('shop', { git: true })
  STEPS[step]?.({
    hook: (name, text) => writeFileSync(join(repository, '.git/hooks', name), `#!/bin/sh\n${text}`, { mode: 0o755 }),
    verify: (command) => {
      const set = fleet.fleet('config', 'set', `projects.${repository}.verify=${command}`)
      expect(set).toMatchObject({ code: 0, stderr: '' })
    },
  })
  const steps = [
    init,
    tool({ waitFor: '$FLEET_HOME/moved' }),
    writes('new.txt'),
    tool({ git: ['add', '.'] }),
    tool({ git: ['commit', '-qm', 'New'] }),
    claims(),
    result(),
  ]
  const id = fleet.create('New', steps, '--cwd', repository)
  await fleet.start()
  await fleet.started(id)
  // A tree that passed before would not be checked again.
  writeFileSync(join(repository, 'meanwhile.txt'), 'x\n')
  git(repository, 'add', '.')
  git(repository, 'commit', '-qm', 'Meanwhile')
  writeFileSync(join(fleet.home.path, 'moved'), '')
  await until(
    async () => existsSync(join(fleet.home.path, 'held')),
    () => `it is held ${step}`,
  )
  await fleet.end('SIGKILL')
  await fleet.start()
  writeFileSync(join(fleet.home.path, 'go'), '')
  await fleet.settled(id, 'closed')
  expect(git(repository, 'log', '--format=%s', 'main').split('\n')).toEqual(['New', 'Meanwhile', 'First'])
  expect(git(repository, 'status', '--porcelain')).toBe('')
  expect(fleet.runs(id)).toHaveLength(1)
  await until(
    async () => readdirSync(join(fleet.home.path, 'landing')).length === 0,
    () => 'no throw-away work tree is left',
  )
})
