import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { hangBell } from './bell.mjs'
import { FLEET } from './build.mjs'
import { elapsed, now } from './clock.mjs'
import { environment, inFolder, median, percentile } from './measure.mjs'
import { homeOfTasks, namespaces, openStore, startSupervisor, until } from './supervisor.mjs'

const ROUNDS = 200
const BAR = { median: 15, p99: 60 }

export const latency = {
  name: 'latency',
  about: "from `fleet bd create` to the agent's first instruction, against a bare spawn of the same script",
  run: ({ rounds = ROUNDS } = {}) =>
    inFolder(async (folder) => {
      const figures = {}
      const verdicts = []
      for (const namespace of namespaces()) {
        const { printed, returned, bare } = await measure(folder, namespace, rounds)
        figures[`namespace ${namespace}, of ${rounds}`] = `p50 ${spread(printed)} from its being printed`
        figures[`namespace ${namespace}, from return`] = `p50 ${spread(returned)}; below 0: before create has returned`
        figures[`bare spawn beside ${namespace}`] = `p50 ${spread(bare)}`
        const p50 = median(printed)
        verdicts.push({ ratio: p50 / median(bare), beyond: p50 - median(bare), p99: percentile(printed, 0.99) })
      }
      return {
        figures,
        ratio: verdicts
          .map(({ ratio, beyond }) => `${ratio.toFixed(1)} x, ${millis(beyond)} beyond the script's own start`)
          .join('; '),
        // Stricter than measuring from the exit: Node takes some milliseconds to exit, and the agent often starts within them.
        bar: `from print: p50 <= ${BAR.median} ms beyond it, p99 <= ${BAR.p99} ms`,
        pass: verdicts.every(({ beyond, p99 }) => beyond <= BAR.median && p99 <= BAR.p99),
      }
    }),
}

const spread = (times) => `${millis(median(times))} (p99 ${millis(percentile(times, 0.99))})`
const millis = (value) => `${value.toFixed(1)} ms`

async function measure(folder, namespace, rounds) {
  const home = homeOfTasks(folder, `home-${namespace}`, { tasks: 0, settings: [`pid_namespace=${namespace}`] })
  const path = join(folder.path, `bell-${namespace}`)
  const bell = hangBell(path)
  const store = openStore(home)
  const supervisor = await startSupervisor(home)
  const times = { printed: [], returned: [], bare: [] }
  try {
    for (let round = 0; round < rounds; round++) {
      times.bare.push(await bareStart(folder, { bell, path, word: `bare-${round}` }))
      const word = `fleet-${round}`
      const { printed, returned } = await create(home, { cwd: folder.path, script: `echo ${word} >${path}` })
      const rang = await bell.at(word)
      // The agent may be faster than the command that made its task.
      times.printed.push(elapsed(printed, rang, { signed: true }))
      times.returned.push(elapsed(returned, rang, { signed: true }))
      // The next round needs a free slot and an idle supervisor.
      await until('its task is closed', () => store.unfinished() === 0)
    }
  } finally {
    await supervisor.stop()
    store.close()
    bell[Symbol.dispose]()
  }
  return times
}

/** When the command printed the task's id, and when it exited. */
async function create(home, { cwd, script }) {
  const child = spawn(process.execPath, [FLEET, 'bd', 'create', 'Ring the bell', '--description', script], {
    cwd,
    env: environment({ FLEET_HOME: home }),
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let printed
  child.stdout.on('data', () => {
    printed ??= now()
  })
  return await new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('exit', (code) => {
      const returned = now()
      if (code === 0) resolve({ printed: printed ?? returned, returned })
      else reject(new Error(`fleet bd create ended with ${code}`))
    })
  })
}

async function bareStart(folder, { bell, path, word }) {
  const script = join(folder.path, 'script.sh')
  writeFileSync(script, `echo ${word} >${path}`)
  const began = now()
  const child = spawn('/bin/sh', [script], { stdio: ['ignore', 'pipe', 'ignore'], env: environment() })
  const ended = new Promise((resolve) => child.on('close', resolve))
  const rang = await bell.at(word)
  await ended
  return elapsed(began, rang)
}
