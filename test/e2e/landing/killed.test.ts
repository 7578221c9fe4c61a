import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
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

/** Hooks and filters know the folder of the task, and not the home. */
const HOLD = `echo $PPID >"$FLEET_TASK_DIR/../../held"\nwhile [ ! -e "$FLEET_TASK_DIR/../../go" ]; do sleep 0.05; done\n`

interface Holding {
  hook(name: string, text: string): void
  verify(command: string): void
  /** For each new file: the checkout has a folder .git, and the throw-away work tree has none. */
  smudge(text: string): void
  /** To a repository beside it. */
  pushes(): void
}

const updates = ({ smudge }: Holding): void => smudge(`[ -d .git ] && { ${HOLD} }; cat`)

const STEPS: Readonly<Record<string, (at: Holding) => void>> = {
  'while it builds the new tip': ({ hook }) => hook('post-checkout', HOLD),
  'while the merged tree is checked': ({ verify }) =>
    verify('case "$PWD" in */landing/*) touch ../../../held; until [ -e ../../../go ]; do sleep 0.05; done;; esac'),
  'while it updates the checkout': updates,
  'while it updates the checkout, and so is its git,': updates,
  'just before the target moves': ({ hook }) =>
    hook(
      'reference-transaction',
      `[ "$1" = prepared ] && grep -q refs/heads/main && [ -n "$FLEET_TASK_DIR" ] || exit 0\n${HOLD}`,
    ),
  'just after the target has moved': ({ hook }) => hook('post-merge', HOLD),
  'while it pushes': ({ hook, pushes }) => {
    pushes()
    hook('pre-push', HOLD)
  },
}

test.each(Object.keys(STEPS))('a supervisor that is killed %s: the next one lands the work, once', async (step) => {
  const fleet = testFleet({ config: ['isolation=worktree'] })
  const repository = fleet.project('shop', { git: true })
  const remote = join(fleet.home.path, '../remote.git')
  STEPS[step]?.({
    hook: (name, text) => writeFileSync(join(repository, '.git/hooks', name), `#!/bin/sh\n${text}`, { mode: 0o755 }),
    smudge(text) {
      writeFileSync(join(repository, '.git/info/attributes'), 'new.txt filter=hold\n')
      git(repository, 'config', 'filter.hold.smudge', text)
    },
    pushes() {
      git(repository, 'init', '-q', '--bare', '-b', 'main', remote)
      git(repository, 'remote', 'add', 'origin', remote)
      expect(fleet.fleet('config', 'set', `projects.${repository}.push=true`)).toMatchObject({ code: 0 })
    },
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
  if (step.includes('its git')) process.kill(Number(readFileSync(join(fleet.home.path, 'held'), 'utf8')), 'SIGKILL')
  await fleet.start()
  writeFileSync(join(fleet.home.path, 'go'), '')
  await fleet.settled(id, 'closed')
  expect(git(repository, 'log', '--format=%s', 'main').split('\n')).toEqual(['New', 'Meanwhile', 'First'])
  expect(git(repository, 'status', '--porcelain')).toBe('')
  if (existsSync(remote)) expect(git(remote, 'log', '-1', '--format=%s', 'main')).toBe('New')
  expect(fleet.runs(id)).toHaveLength(1)
  await until(
    async () => readdirSync(join(fleet.home.path, 'landing')).length === 0,
    () => 'no throw-away work tree is left',
  )
})

/** Work whose merged tree is being checked: each check notes its begin, and waits. */
async function beingChecked(config: readonly string[] = []) {
  const fleet = testFleet({ config: ['isolation=worktree', 'max_attempts=1', ...config] })
  const repository = fleet.project('shop', { git: true })
  const at = (name: string) => join(fleet.home.path, name)
  const verify =
    'case "$PWD" in */landing/*) echo begin >>../../../begun; until [ -e ../../../go ]; do sleep 0.05; done;; esac'
  const set = fleet.fleet('config', 'set', `projects.${repository}.verify=${verify}`)
  expect(set).toMatchObject({ code: 0, stderr: '' })
  const steps = [init, tool({ waitFor: '$FLEET_HOME/moved' }), writes('new.txt'), claims(), result()]
  const id = fleet.create('New', steps, '--cwd', repository)
  const begun = () => (existsSync(at('begun')) ? readFileSync(at('begun'), 'utf8').trim().split('\n').length : 0)
  const begins = (times: number) =>
    until(
      async () => begun() === times,
      () => `the check has begun ${times} times: ${begun()}`,
    )
  await fleet.start()
  await fleet.started(id)
  // A tree that passed before would not be checked again.
  writeFileSync(join(repository, 'meanwhile.txt'), 'x\n')
  git(repository, 'add', '.')
  git(repository, 'commit', '-qm', 'Meanwhile')
  writeFileSync(at('moved'), '')
  await begins(1)
  return { fleet, repository, id, begins, at }
}

test('restarts leave the check of a merged tree running, stops end it, and nothing of that counts', async () => {
  const { fleet, id, begins, at } = await beingChecked()
  let starts = 1
  const restart = async (signal: NodeJS.Signals) => {
    await fleet.start(signal)
    starts++
    await until(
      async () => fleet.log().filter(({ event }) => event === 'supervisor-started').length === starts,
      () => `${starts} supervisors have started`,
    )
  }
  await restart('SIGHUP')
  await restart('SIGHUP')
  for (const times of [2, 3]) {
    await restart('SIGTERM')
    await begins(times)
  }
  writeFileSync(at('go'), '')
  await fleet.settled(id, 'closed')
  await begins(3)
  expect([fleet.runs(id).length, fleet.ledger.stateOf(id).failures]).toEqual([1, 0])
})

test('the check of work that a person takes out of the queue while no supervisor runs is ended', async () => {
  const { fleet, id } = await beingChecked()
  await fleet.end('SIGKILL')
  expect(fleet.home.bd(['close', id, '--force']).code).toBe(0)
  await fleet.start()
  await until(
    async () => fleet.ledger.landings.of(id)?.state.at === 'over',
    () => `its landing is over: ${JSON.stringify(fleet.ledger.landings.of(id))}`,
  )
  // testFleet looks for processes that are left.
  await fleet.end('SIGKILL')
})

test('a merged tree whose check gave no verdict waits, and is checked again', async () => {
  const { fleet, id, begins, at } = await beingChecked(['timeouts.verify=6s'])
  await begins(2)
  await until(
    async () => JSON.stringify(fleet.ledger.landings.of(id)?.state).includes('was not checked'),
    () => `it waits: ${JSON.stringify(fleet.ledger.landings.of(id))}`,
  )
  rmSync(at('begun'))
  writeFileSync(at('go'), '')
  expect(fleet.fleet('land', id)).toMatchObject({ code: 0 })
  await fleet.settled(id, 'closed')
  await begins(1)
})
