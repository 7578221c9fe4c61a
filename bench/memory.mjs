import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { FLEET } from './build.mjs'
import { claudeStream } from './claude-stream.mjs'
import { environment, inFolder, run } from './measure.mjs'
import { homeOfTasks, megabytes, namespaces, openStore, standIn, startSupervisor, until } from './supervisor.mjs'

const FEW = 200
const MANY = 400
const BAR = { few: 100, each: 0.2 }
/** What each agent has printed, in turns of three 2 KB lines. */
const TURNS = 20

export const memory = {
  name: 'memory',
  about: `the supervisor's memory with ${FEW} live agents, and with ${MANY}, against a bare Node that waits`,
  run: () =>
    inFolder(async (folder) => {
      const bare = await bareMegabytes()
      const figures = { 'bare Node': mb(bare) }
      const results = []
      for (const namespace of namespaces()) {
        const { few, many } = await measure(folder, namespace)
        const each = (many - few) / (MANY - FEW)
        figures[`namespace ${namespace}`] =
          `${mb(few)} with ${FEW}, ${mb(many)} with ${MANY}, ${each.toFixed(3)} MB each`
        results.push({ few, each })
      }
      return {
        figures,
        ratio: `${results.map(({ few }) => (few / bare).toFixed(2)).join(' x, ')} x`,
        bar: `<= ${BAR.few} MB with ${FEW}, < ${BAR.each} MB per further one`,
        pass: results.every(({ few, each }) => few <= BAR.few && each < BAR.each),
      }
    }),
}

const mb = (value) => `${value.toFixed(0)} MB`

async function measure(folder, namespace) {
  const said = join(folder.path, 'said.jsonl')
  const stream = claudeStream()
  const turns = Array.from({ length: TURNS }, (_, turn) => stream.turn(turn)).flat()
  writeFileSync(said, [stream.first, ...turns].join(''))
  const path = standIn(folder, 'claude', `cat '${said}'\nexec sleep 3600`)
  const settings = [`max_concurrent=${FEW}`, `pid_namespace=${namespace}`]
  const home = homeOfTasks(folder, `home-${namespace}`, { tasks: MANY, coder: 'claude', settings })
  const store = openStore(home)
  const supervisor = await startSupervisor(home, { PATH: path })
  const heard = `select 1 from run where phase = 'running' and json_extract(figures, '$.toolCalls') = ${TURNS}`
  const most = async (agents) => {
    await until(`${agents} agents are heard`, () => store.all(heard).length === agents, { seconds: 120, everyMs: 100 })
    let peak = 0
    for (let look = 0; look < 50; look++) {
      peak = Math.max(peak, supervisor.megabytes())
      await pause(100)
    }
    return peak
  }
  try {
    const few = await most(FEW)
    run(process.execPath, [FLEET, 'config', 'set', `max_concurrent=${MANY}`], { FLEET_HOME: home })
    return { few, many: await most(MANY) }
  } finally {
    await supervisor.stop()
    store.close()
  }
}

async function bareMegabytes() {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000); console.log()'], {
    env: environment(),
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await new Promise((resolve) => child.stdout.once('data', resolve))
  const held = megabytes(child.pid)
  child.kill()
  return held
}
