import { execFileSync, spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { keepingEvidence } from '../../../scripts/storm-evidence.mjs'
import { temporaryFolder } from '../../support/cli.ts'
import { poll } from '../../support/poll.ts'
import {
  claims,
  type Fleet,
  init,
  result,
  type Steps,
  testFleet,
  tool,
  until,
  writes,
} from '../../support/supervisor.ts'

/**
 * Two agents on one repository: one renames a function, the other calls it by the old name. Each is green alone. Supervisors
 * are killed at random moments meanwhile. FLEET_LANDING_ROUNDS: how many such pairs; npm run soak does fifty.
 */

const ROUNDS = Number(process.env['FLEET_LANDING_ROUNDS'] ?? 3)
/** Pairs side by side: each agent that waits for another one holds a slot. */
const AT_ONCE = 4
const LONGEST_LIFE_MS = 4000
const LANDS_WITHIN_MS = 240_000

const git = (cwd: string, ...argv: readonly string[]): string =>
  execFileSync('git', ['-c', 'user.name=anna', '-c', 'user.email=anna@example.org', ...argv], {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  }).trim()

const CHECK = 'for each in call-*.sh; do sh "$each" || exit 1; done\n'

function repositoryIn(fleet: Fleet, name: string): string {
  const path = fleet.project(name, { git: true })
  const files = { 'lib.sh': 'greet() { echo hello; }\n', 'check.sh': CHECK, 'call-first.sh': '. ./lib.sh\ngreet\n' }
  for (const [file, text] of Object.entries(files)) writeFileSync(join(path, file), text)
  git(path, 'add', '.')
  git(path, 'commit', '-qm', 'Check')
  return path
}

const commit = (message: string) => [tool({ git: ['add', '-A'] }), tool({ git: ['commit', '-qm', message] })]

const renames: Steps = [
  init,
  writes('lib.sh', 'welcome() { echo hello; }\n'),
  writes('call-first.sh', '. ./lib.sh\nwelcome\n'),
  ...commit('Rename greet to welcome'),
  claims('renamed'),
  result(),
]

/** It hands in once the other has landed. */
const calls = (landed: string): Steps => [
  [
    init,
    writes('call-second.sh', '. ./lib.sh\ngreet\n'),
    ...commit('Call greet'),
    { waitFor: landed },
    claims(),
    result(),
  ],
  [
    init,
    tool({ git: ['rebase', '-q', 'main'] }),
    writes('call-second.sh', '. ./lib.sh\nwelcome\n'),
    ...commit('Call welcome'),
    claims('called'),
    result(),
  ],
]

/** Each tip that the target ever had, oldest first, and whether it was green. */
function tips(repository: string): readonly (readonly [string, number | null])[] {
  const folder = temporaryFolder()
  return git(repository, 'reflog', '--format=%H', 'main')
    .split('\n')
    .reverse()
    .map((tip, i) => {
      const path = join(folder, String(i))
      git(repository, 'worktree', 'add', '-q', '--detach', path, tip)
      const { status } = spawnSync('sh', ['check.sh'], { cwd: path })
      return [git(repository, 'log', '-1', '--format=%s', tip), status] as const
    })
}

test(`the target is never red, whenever supervisors are killed (${ROUNDS} pairs)`, {
  timeout: 2 * LANDS_WITHIN_MS + ROUNDS * 60_000,
}, async () => {
  const fleet = testFleet({ config: ['isolation=worktree', 'max_concurrent=10'] })
  await keepingEvidence(dirname(fleet.home.path), { storm: () => rage(fleet), isGood: () => true })
})

async function rage(fleet: Fleet): Promise<void> {
  const pairAt = (i: number) => {
    const repository = repositoryIn(fleet, `shop-${i}`)
    const set = fleet.fleet('config', 'set', `projects.${repository}.verify=sh check.sh`)
    expect(set).toMatchObject({ code: 0, stderr: '' })
    const landed = join(fleet.home.path, `landed-${i}`)
    const first = fleet.create('Rename', renames, '--cwd', repository)
    const second = fleet.create('Call', calls(landed), '--cwd', repository)
    return { repository, landed, first, second }
  }
  const pairs: ReturnType<typeof pairAt>[] = []
  let isOver = false
  let kills = 0
  const started = () => fleet.log().filter(({ event }) => event === 'supervisor-started').length
  const killing = (async () => {
    await fleet.start()
    while (!isOver) {
      await pause(Math.random() * LONGEST_LIFE_MS)
      if (isOver) break
      const before = started()
      const began = performance.now()
      await fleet.start('SIGKILL')
      kills++
      // One of them lives long enough for the work to get on, however slow the machine is.
      if (kills % 4 !== 0) continue
      await until(
        async () => isOver || started() > before,
        () => `a supervisor starts after ${kills} kills`,
      )
      await pause(Math.max(LONGEST_LIFE_MS, performance.now() - began))
    }
  })()
  const isClosed = async (id: string) => (await fleet.task(id)).status === 'closed'
  const lands = (id: string) => {
    const told = () => JSON.stringify([fleet.ledger.landings.of(id)?.state, fleet.runs(id).map(({ phase }) => phase)])
    return poll(
      () => isClosed(id),
      () => `${id} lands after ${kills} kills: ${told()}`,
      LANDS_WITHIN_MS,
    )
  }
  try {
    while (pairs.length < ROUNDS) {
      const batch = Array.from({ length: Math.min(AT_ONCE, ROUNDS - pairs.length) }, (_, i) => pairAt(pairs.length + i))
      pairs.push(...batch)
      await Promise.all(
        batch.map(async ({ first, second, landed }) => {
          await lands(first)
          writeFileSync(landed, '')
          await lands(second)
        }),
      )
    }
  } finally {
    isOver = true
    await killing
  }
  for (const { repository, first, second } of pairs) {
    // The first of all has no check yet.
    expect(tips(repository).slice(1)).toEqual([
      ['Check', 0],
      ['Rename greet to welcome', 0],
      ['Call welcome', 0],
    ])
    const codes = (id: string) =>
      fleet
        .runs(id)
        .flatMap(({ outcome }) => (outcome === null || outcome.code === 'never-started' ? [] : [outcome.code]))
    expect([codes(first), codes(second)]).toEqual([['needs-landing'], ['needs-landing', 'needs-landing']])
    const last = fleet.runs(second).at(-1)?.attempt ?? 0
    expect(fleet.text(second, 'attempts', String(last), 'prompt.md')).toContain('greet: not found')
    expect(git(repository, 'status', '--porcelain')).toBe('')
  }
}
