import { spawn } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { installCoders } from '../scripts/install-coders.mjs'
import { bundled, FLEET } from './build.mjs'
import { elapsed, now } from './clock.mjs'
import { inFolder } from './measure.mjs'
import { openStore, until } from './supervisor.mjs'

const AGENTS = 50
const CODERS = ['claude', 'codex']
const MINUTES = 10

/** Real CLIs, all working at the same moment: the model answers only after every agent has asked. */
export const crowd = {
  name: 'crowd',
  about: `${AGENTS} real agents of a CLI at once on a model on loopback: none lost, and the memory they take`,
  async run() {
    const installed = await installCoders(CODERS)
    const figures = {}
    const results = []
    for (const coder of CODERS) {
      const result = await inFolder((folder) => measure(folder.path, coder, installed[coder]))
      figures[coder] =
        `${result.closed} closed by ${result.starts} starts in ${result.seconds.toFixed(0)} s, all at work after ` +
        `${result.together.toFixed(0)} s; at most ${result.gigabytes.toFixed(1)} GB of them (PSS), ` +
        `${((result.gigabytes / AGENTS) * 1024).toFixed(0)} MB each; supervisor ${result.megabytes.toFixed(0)} MB`
      results.push(result)
    }
    return {
      figures,
      ratio: results.map(({ closed, starts }) => `${closed} of ${AGENTS}, ${starts} starts`).join('; '),
      bar: `${AGENTS} of ${AGENTS}, ${AGENTS} starts`,
      pass: results.every(({ closed, starts }) => closed === AGENTS && starts === AGENTS),
    }
  },
}

async function measure(folder, name, bin) {
  const { startModel, calls, hold, says, coders } = bundled('real')
  const coder = coders[name]
  const model = await startModel()
  const home = join(folder, 'home')
  const project = join(folder, 'project')
  for (const each of [home, project]) mkdirSync(each)
  for (const [path, text] of Object.entries(coder.files({ url: model.url, home }))) {
    mkdirSync(dirname(join(home, path)), { recursive: true })
    writeFileSync(join(home, path), text)
  }
  const fleetHome = join(folder, 'fleet')
  const env = {
    PATH: [bin, dirname(process.execPath), '/usr/local/bin', '/usr/bin', '/bin'].join(':'),
    HOME: home,
    FLEET_HOME: fleetHome,
    HTTPS_PROXY: model.url,
    HTTP_PROXY: model.url,
    NO_PROXY: '127.0.0.1,localhost',
    [coder.key]: 'sk-of-the-bench',
  }
  // Not spawnSync: the model runs in this process.
  const fleet = (...argv) => ended(spawn(process.execPath, [FLEET, ...argv], { env, cwd: project, stdio: QUIET }))
  await fleet('init', '--queue', 'local')
  const variables = Object.entries(coder.env({ url: model.url, home })).map(([key, value]) => `${key} = "${value}"`)
  await fleet(
    'config',
    'set',
    `coder=${name}`,
    `max_concurrent=${AGENTS}`,
    `env_pass=["${coder.key}"]`,
    `coders.${name}.env={ ${variables.join(', ')} }`,
    'timeouts.idle=20m',
    'timeouts.first_event=5m',
  )
  const talks = []
  for (let n = 0; n < AGENTS; n++) {
    const title = `Crowd task ${String(n).padStart(3, '0')}`
    const work = coder.write(join(project, `made-${n}.txt`), 'made\n')
    talks.push(model.script(title, [hold, calls(work), calls(coder.shell('fleet done "Made it"')), says('Made it.')]))
    await fleet('bd', 'create', title, '--description', 'Make the file.')
  }

  const begun = now()
  const supervisor = spawn(process.execPath, [FLEET, 'run', '--once', '--quiet'], { env, cwd: project, stdio: QUIET })
  const over = ended(supervisor)
  const watch = { on: true, gigabytes: 0, megabytes: 0 }
  const watching = memory(supervisor.pid, fleetHome, watch)
  const patience = { seconds: MINUTES * 60, everyMs: 200 }
  await until('all have asked', () => talks.every(({ told }) => told.length > 0), patience)
  const together = elapsed(begun) / 1000
  await pause(2000)
  for (const talk of talks) talk.proceed()
  await over
  const seconds = elapsed(begun) / 1000
  watch.on = false
  await watching
  const store = openStore(fleetHome)
  const [{ closed }] = store.all("select count(*) as closed from task where status = 'closed'")
  const [{ starts }] = store.all('select count(*) as starts from run')
  store.close()
  await model[Symbol.asyncDispose]()
  return { closed, starts, seconds, together, ...watch }
}

const QUIET = ['ignore', 'ignore', 'inherit']

function ended(child) {
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('exit', (code) => (code === 0 ? resolve() : reject(new Error(`fleet ended with ${code}`))))
  })
}

/** The memory of all agents of a home, shared pages counted once (PSS). */
async function memory(supervisor, home, watch) {
  while (watch.on) {
    const agents = readdirSync('/proc').filter((pid) => /^\d+$/.test(pid) && isOf(home, pid))
    const sum = agents.reduce((all, pid) => all + pss(pid), 0)
    watch.gigabytes = Math.max(watch.gigabytes, sum / 1024 / 1024)
    watch.megabytes = Math.max(watch.megabytes, pss(supervisor) / 1024)
    await pause(1000)
  }
}

function isOf(home, pid) {
  try {
    const environ = readFileSync(`/proc/${pid}/environ`, 'latin1')
    return environ.includes('FLEET_RUN_ID=') && environ.includes(`FLEET_HOME=${home}\0`)
  } catch {
    return false
  }
}

function pss(pid) {
  try {
    return Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))[1])
  } catch {
    return 0
  }
}
