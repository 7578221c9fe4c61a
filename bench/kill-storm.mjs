import { spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { keepingEvidence } from '../scripts/storm-evidence.mjs'
import { FLEET } from './build.mjs'
import { elapsed, now } from './clock.mjs'
import { environment, inFolder } from './measure.mjs'
import { homeOfTasks, namespaces, openStore, superviseOnce, until } from './supervisor.mjs'

const WHOLE = { tasks: 2000, kills: 200 }
/** For `npm run soak -- --short`. */
const SHORT = { tasks: 200, kills: 20 }
const AT_ONCE = 20

export const killStorm = {
  name: 'kill-storm',
  about: `${WHOLE.kills} x SIGKILL of the supervisor at random moments during ${WHOLE.tasks} tasks: lost, started twice, left behind`,
  run: ({ short = false } = {}) =>
    inFolder(async (folder) => {
      const plan = short ? SHORT : WHOLE
      const figures = {}
      const storms = []
      for (const namespace of namespaces()) {
        const storm = await keepingEvidence(folder.path, {
          storm: () => rage(folder, { ...plan, namespace }),
          isGood: ({ lost, twice, orphans }) => lost.length + twice.length + orphans.length === 0,
        })
        storms.push(storm)
        const { kills, seconds, outcomes } = storm
        figures[`namespace ${namespace}`] = `${kills} kills over ${seconds.toFixed(0)} s; of the runs ${outcomes}`
      }
      const told = (name) => storms.map((storm) => storm[name].length).join(' and ')
      const bad = storms.flatMap(({ lost, twice, orphans }) => [...lost, ...twice, ...orphans])
      const odd = storms.flatMap((storm) => storm.odd)
      if (odd.length > 0) figures['odd outcomes'] = odd.slice(0, 5).join('; ')
      if (bad.length > 0) figures['among them'] = bad.slice(0, 5).join(', ')
      return {
        figures,
        ratio: `${told('lost')} lost, ${told('twice')} started twice, ${told('orphans')} left behind`,
        bar: '0, 0, 0',
        // The work may be done before the last of them.
        pass: bad.length === 0 && storms.every(({ kills }) => kills >= plan.kills / 2),
      }
    }),
}

/** A supervisor killed between the ledger's entry and the start leaves a run that never started. */
const EXPECTED = new Set(['done', 'never-started'])

async function rage(folder, { namespace, ...plan }) {
  const starts = join(folder.path, `starts-${namespace}`)
  const home = homeOfTasks(folder, `home-${namespace}`, {
    tasks: plan.tasks,
    script: `echo "$FLEET_TASK_ID" >>${starts}\nsleep 0.1\n`,
    settings: [`max_concurrent=${AT_ONCE}`, `pid_namespace=${namespace}`],
  })
  const store = openStore(home)
  const began = now()
  const kills = await killAgainAndAgain(home, store, plan)
  superviseOnce(home)
  const orphans = await leftBehind(home)
  const started = readFileSync(starts, 'utf8').split('\n').slice(0, -1)
  const times = count(started)
  const tasks = store.all('select id, status from task')
  const outcomes = store.all('select outcome from run').map(({ outcome }) => JSON.parse(outcome))
  store.close()
  return {
    kills,
    outcomes: [...count(outcomes.map(({ code }) => code))].map(([code, n]) => `${n} ${code}`).join(', '),
    odd: outcomes.filter(({ code }) => !EXPECTED.has(code)).map(({ code, text }) => `${code}: ${text}`),
    seconds: elapsed(began) / 1000,
    lost: tasks.filter(({ id, status }) => status !== 'closed' || !times.has(id)).map(({ id }) => id),
    twice: [...times].filter(([, n]) => n > 1).map(([id]) => id),
    orphans,
  }
}

/**
 * Kills at a random moment early in a supervisor's life, so that its start is hit as often as its work. The longest life
 * adapts so that the last supervisor still finds work.
 */
async function killAgainAndAgain(home, store, plan) {
  let longest = 400
  let kills = 0
  for (; kills < plan.kills; kills++) {
    const unfinished = store.unfinished()
    if (unfinished === 0) break
    const ahead = plan.tasks - unfinished > (0.8 * plan.tasks * kills) / plan.kills
    longest = Math.min(1000, Math.max(100, longest * (ahead ? 0.8 : 1.1)))
    const child = spawn(process.execPath, [FLEET, 'run', '--quiet'], {
      env: environment({ FLEET_HOME: home }),
      stdio: ['ignore', 'inherit', 'inherit'],
    })
    const ended = new Promise((resolve) => child.on('exit', (_code, signal) => resolve(signal)))
    await pause(Math.random() * longest)
    child.kill('SIGKILL')
    if ((await ended) !== 'SIGKILL') throw new Error('the supervisor ended before it was killed')
  }
  return kills
}

function count(words) {
  const times = new Map()
  for (const word of words) times.set(word, (times.get(word) ?? 0) + 1)
  return times
}

/** Processes that still have this home in their environment, after a moment for those that are just ending. */
async function leftBehind(home) {
  const living = () =>
    readdirSync('/proc').filter((pid) => {
      if (!/^\d+$/.test(pid)) return false
      try {
        return readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0').includes(`FLEET_HOME=${home}`)
      } catch {
        return false // ended meanwhile, or another user's
      }
    })
  await until('nothing is left', () => living().length === 0, { seconds: 3 }).catch(() => {})
  return living().map((pid) => `pid ${pid}`)
}
