import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { cacheFolder } from '../scripts/cache.mjs'
import { FLEET } from './build.mjs'
import { elapsed, now } from './clock.mjs'
import { byTurns, environment, inFolder, median, run } from './measure.mjs'

const SIZES = [
  { tasks: 1000, bar: 5 },
  { tasks: 20_000, bar: 10 },
]
const ROUNDS = 7

/** The commands of one round, each on another task. */
const COMMANDS = {
  create: (n) => ['create', `A task of round ${n}`],
  ready: () => ['ready'],
  claim: (n) => ['update', idOf(n), '--claim'],
  close: (n) => ['close', idOf(n)],
}

export const bdLocal = {
  name: 'bd-local',
  about: 'create, ready, claim, close through `fleet bd` on the local queue, against the real bd, whole processes',
  async run({ rounds = ROUNDS } = {}) {
    const built = spawnSync(process.execPath, ['scripts/build-bd.mjs'], { encoding: 'utf8' })
    if (built.status === 3) return { figures: { bd: 'is not built here' }, ratio: 'SKIPPED', bar: 'none', pass: true }
    const bd = built.stdout.trim()
    return await inFolder((folder) => {
      const figures = { "bd's database": 'as bd leaves it, which the bar is for; in brackets after `bd gc`' }
      // No Node program can take less than this.
      const bare = Array.from({ length: rounds * 3 }, () =>
        timed(process.execPath, ['-e', '0'], { cwd: folder.path, env: environment() }),
      )
      figures['node -e 0'] = `${median(bare).toFixed(0)} ms`
      const least = []
      for (const { tasks, bar } of SIZES) {
        const times = measure(folder, { bd, tasks, rounds })
        const ratios = Object.entries(times).map(([name, { left, collected, ours }]) => {
          const ratio = median(left) / median(ours)
          figures[`${name}, ${tasks} tasks`] =
            `fleet ${median(ours).toFixed(0)} ms, bd ${median(left).toFixed(0)} ms: ${ratio.toFixed(1)} x ` +
            `(${median(collected).toFixed(0)} ms: ${(median(collected) / median(ours)).toFixed(1)} x)`
          return ratio
        })
        least.push({ tasks, bar, ratio: Math.min(...ratios) })
      }
      return {
        figures,
        ratio: least.map(({ tasks, ratio }) => `at ${tasks} >= ${ratio.toFixed(1)} x`).join(', '),
        bar: least.map(({ tasks, bar }) => `at ${tasks} each >= ${bar} x`).join(', '),
        pass: least.every(({ ratio, bar }) => ratio >= bar),
      }
    })
  },
}

function measure(folder, { bd, tasks, rounds }) {
  const project = join(folder.path, `project-${tasks}`)
  mkdirSync(project)
  const home = folder.seed(`home-${tasks}`, { tasks })
  const copied = (name, from) => {
    const beads = join(folder.path, `${name}-${tasks}`, '.beads')
    cpSync(from, beads, { recursive: true })
    return bdEnvironment(beads, project)
  }
  const sides = [
    ['left', bd, [], copied('left', asLeft(bd, tasks))],
    ['collected', bd, [], copied('collected', collected(bd, tasks))],
    ['ours', process.execPath, [FLEET, 'bd'], environment({ FLEET_HOME: home, HOME: project })],
  ]
  const times = Object.fromEntries(
    Object.keys(COMMANDS).map((name) => [name, Object.fromEntries(sides.map(([side]) => [side, []]))]),
  )
  // Sides take turns at going first. The first round only warms up and does not count.
  for (let round = 0; round <= rounds; round++) {
    for (const [name, command] of Object.entries(COMMANDS)) {
      for (const [side, file, words, env] of byTurns(sides, round)) {
        const took = timed(file, [...words, ...command(round)], { cwd: project, env })
        if (round > 0) times[name][side].push(took)
      }
    }
  }
  return times
}

function timed(file, argv, { cwd, env }) {
  const began = now()
  const done = spawnSync(file, argv, { cwd, env, stdio: ['ignore', 'ignore', 'pipe'], encoding: 'utf8' })
  const took = elapsed(began)
  if (done.status !== 0) throw new Error(`${file} ${argv.join(' ')} ended with ${done.status}: ${done.stderr}`)
  return took
}

function bdEnvironment(beads, home) {
  return environment({ BEADS_DIR: beads, BD_NON_INTERACTIVE: '1', BD_DISABLE_METRICS: '1', HOME: home })
}

const idOf = (n) => `fleet-${n.toString(36).padStart(4, '0')}`

/** Tasks per import. An interrupted import continues with the next portion. */
const PORTION = 1000

/**
 * A bd database with that many tasks and the history that bd keeps of them. bd imports 20,000 tasks in a quarter of an
 * hour, so the database is made once and cached beside the built bd.
 */
function asLeft(bd, tasks) {
  const folder = cacheFolder(`bench-beads-left-${tasks}`)
  const progress = join(folder, 'imported')
  const call = caller(bd, folder)
  if (!existsSync(progress)) {
    rmSync(folder, { recursive: true, force: true })
    mkdirSync(folder, { recursive: true })
    call('init', '--prefix', 'fleet', '--skip-agents', '--skip-hooks', '--non-interactive', '--quiet')
    writeFileSync(progress, '0')
  }
  for (let from = Number(readFileSync(progress, 'utf8')); from < tasks; from += PORTION) {
    console.error(`importing tasks ${from} to ${from + PORTION} of ${tasks} into bd, once`)
    const file = join(folder, 'portion.jsonl')
    writeFileSync(file, Array.from({ length: PORTION }, (_, n) => `${JSON.stringify(taskOf(from + n))}\n`).join(''))
    call('import', file)
    writeFileSync(progress, String(from + PORTION))
  }
  return join(folder, '.beads')
}

/** The same database after `bd gc`: without its history. */
function collected(bd, tasks) {
  const folder = cacheFolder(`bench-beads-collected-${tasks}`)
  const done = join(folder, 'collected')
  if (!existsSync(done)) {
    rmSync(folder, { recursive: true, force: true })
    cpSync(asLeft(bd, tasks), join(folder, '.beads'), { recursive: true })
    caller(bd, folder)('gc', '--skip-decay', '--force')
    writeFileSync(done, '')
  }
  return join(folder, '.beads')
}

/** stderr is discarded: bd prints its progress there. */
function caller(bd, folder) {
  const env = bdEnvironment(join(folder, '.beads'), folder)
  return (...argv) => run(bd, argv, env, ['ignore', 'pipe', 'ignore'])
}

/** The same tasks that the `seed` worker makes. */
function taskOf(n) {
  const at = '2026-01-01T00:00:00Z'
  return {
    _type: 'issue',
    id: idOf(n),
    title: `Task number ${n}`,
    description: `What is to be done in task ${n}, in a sentence of ordinary length.`,
    status: 'open',
    priority: n % 5,
    issue_type: 'task',
    created_at: at,
    updated_at: at,
    metadata: { fleet: { cwd: '/home/someone/project' } },
  }
}
