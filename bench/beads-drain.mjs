import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { FLEET } from './build.mjs'
import { elapsed, now } from './clock.mjs'
import { environment, inFolder } from './measure.mjs'

const TASKS = 200
/** With --rounds=1: each bd call takes a good part of a second. */
const FEW = 40
const MOST = 6
const IDLE_MS = 65_000
const MOST_IDLE = Math.ceil(IDLE_MS / 30_000)

/** How often a supervisor on a beads queue starts bd. A script in front of the real bd counts the calls. */
export const beadsDrain = {
  name: 'beads-drain',
  about: `bd processes per task over a drain of ${TASKS} tasks on beads, and while idle`,
  async run({ rounds } = {}) {
    const total = rounds === 1 ? FEW : TASKS
    const built = spawnSync(process.execPath, ['scripts/build-bd.mjs'], { encoding: 'utf8' })
    if (built.status === 3) return { figures: { bd: 'is not built here' }, ratio: 'SKIPPED', bar: 'none', pass: true }
    const bd = built.stdout.trim()
    return await inFolder(async ({ path }) => {
      const count = join(path, 'count')
      const project = join(path, 'project')
      mkdirSync(project)
      writeFileSync(join(path, 'bd'), `#!/bin/sh\necho . >>${count}\nexec ${bd} "$@"\n`)
      chmodSync(join(path, 'bd'), 0o755)
      const env = environment({ FLEET_HOME: join(path, 'home'), HOME: path, PATH: `${path}:${process.env.PATH}` })
      const fleet = (...argv) => {
        const ran = spawnSync(process.execPath, [FLEET, ...argv], { cwd: project, env, encoding: 'utf8' })
        if (ran.status !== 0) throw new Error(`fleet ${argv.join(' ')} ended with ${ran.status}: ${ran.stderr}`)
        return ran.stdout
      }
      const counted = () => readFileSync(count, 'utf8').length / 2
      fleet('init', '--queue', 'beads')
      writeFileSync(join(project, 'tasks.jsonl'), tasks(project, total))
      fleet('bd', 'import', 'tasks.jsonl')
      const before = counted()
      const begun = now()
      fleet('run', '--once', '--max', '4')
      const seconds = elapsed(begun) / 1000
      const perTask = (counted() - before) / total
      const open = JSON.parse(fleet('bd', 'list', '--json', '--limit', '0')).length
      if (open > 0) throw new Error(`${open} tasks were not closed`)
      const idle = await idleCalls(env, project, counted)
      return {
        figures: {
          'bd processes per task': perTask.toFixed(2),
          'while idle': `${idle} in ${IDLE_MS / 1000} s`,
          'drained in': `${seconds.toFixed(0)} s`,
        },
        ratio: `${perTask.toFixed(2)} per task`,
        bar: `<= ${MOST} per task, <= ${MOST_IDLE} while idle`,
        pass: perTask <= MOST && idle <= MOST_IDLE,
      }
    })
  },
}

/** One JSON line per task. Every tenth task depends on the one before it. */
function tasks(cwd, total) {
  const id = (n) => `fleet-t${String(n).padStart(3, '0')}`
  const at = new Date().toISOString().replace(/\.\d+/, '')
  const line = (_, n) => {
    const waits = n % 10 === 9
    return JSON.stringify({
      _type: 'issue',
      id: id(n),
      title: `task ${n}`,
      description: ':',
      status: 'open',
      priority: 2,
      issue_type: 'task',
      created_at: at,
      updated_at: at,
      metadata: { fleet: { cwd, coder: 'shell' } },
      ...(waits
        ? { dependencies: [{ issue_id: id(n), depends_on_id: id(n - 1), type: 'blocks', created_at: at }] }
        : {}),
    })
  }
  return `${Array.from({ length: total }, line).join('\n')}\n`
}

async function idleCalls(env, cwd, counted) {
  const supervisor = spawn(process.execPath, [FLEET, 'run'], { cwd, env, stdio: 'ignore' })
  await pause(5000)
  const before = counted()
  await pause(IDLE_MS)
  const calls = counted() - before
  supervisor.kill('SIGTERM')
  await once(supervisor, 'exit')
  return calls
}
