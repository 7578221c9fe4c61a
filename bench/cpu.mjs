import { execFileSync, spawn } from 'node:child_process'
import { closeSync, constants, mkdirSync, openSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { anchor } from './build.mjs'
import { claudeStream } from './claude-stream.mjs'
import { elapsed, now } from './clock.mjs'
import { environment, inFolder } from './measure.mjs'
import { cpuSeconds, homeOfTasks, namespaces, openStore, standIn, startSupervisor, until } from './supervisor.mjs'

const AGENTS = 50
const PER_SECOND = 20
const SECONDS = 10
const WARM_UP = 3
const BAR = 0.08

export const cpu = {
  name: 'cpu',
  about: `the supervisor's CPU with ${AGENTS} agents at ${PER_SECOND} events/s of 2 KB each, against a bare tail and JSON.parse beside it`,
  run: () =>
    inFolder(async (folder) => {
      const figures = {}
      const shares = []
      for (const namespace of namespaces()) {
        const { fleet, bare, events, megabytes } = await measure(folder, namespace)
        figures[`fleet, namespace ${namespace}`] =
          `${percent(fleet)} of a core over ${SECONDS} s, ${events} events, ${megabytes.toFixed(0)} MB`
        figures[`bare tail beside ${namespace}`] = percent(bare)
        shares.push({ fleet, bare })
      }
      return {
        figures,
        ratio: `${shares.map(({ fleet, bare }) => (fleet / bare).toFixed(2)).join(' x, ')} x`,
        bar: `<= ${percent(BAR)} of a core`,
        pass: shares.every(({ fleet }) => fleet <= BAR),
      }
    }),
}

const percent = (share) => `${(share * 100).toFixed(1)} %`

async function measure(folder, namespace) {
  const pipes = join(folder.path, `pipes-${namespace}`)
  mkdirSync(pipes)
  // Each agent is a real process that costs next to nothing: it copies its pipe to stdout.
  const first = join(folder.path, 'first.jsonl')
  writeFileSync(first, claudeStream().first)
  const path = standIn(folder, 'claude', `cat '${first}'\nexec cat "${pipes}/$FLEET_TASK_ID"`)
  const settings = [`max_concurrent=${AGENTS}`, `pid_namespace=${namespace}`]
  const home = homeOfTasks(folder, `home-${namespace}`, { tasks: AGENTS, coder: 'claude', settings })
  const store = openStore(home)
  const tasks = store.all('select id from task').map(({ id }) => id)
  const speakers = tasks.map((id) => openPipe(join(pipes, id)))
  const supervisor = await startSupervisor(home, { PATH: path })
  let bare
  try {
    await until('all agents run', () => store.all("select 1 from run where phase = 'running'").length === AGENTS)
    const files = tasks.map((id) => join(home, 'tasks', id, 'attempts/1/stdout.jsonl'))
    bare = spawn(process.execPath, [anchor('cpu'), ...files], { env: environment(), stdio: 'inherit' })
    const talk = talking(speakers)
    await pause(WARM_UP * 1000)
    const before = { fleet: supervisor.cpuSeconds(), bare: cpuSeconds(bare.pid), told: talk.told(), at: now() }
    await pause(SECONDS * 1000)
    const seconds = elapsed(before.at) / 1000
    const result = {
      fleet: (supervisor.cpuSeconds() - before.fleet) / seconds,
      bare: (cpuSeconds(bare.pid) - before.bare) / seconds,
      events: talk.told() - before.told,
      megabytes: supervisor.megabytes(),
    }
    talk.stop()
    const heard = "select sum(json_extract(figures, '$.events')) as n from run"
    await until('the ledger knows all of them', () => store.all(heard)[0].n >= talk.told(), {
      seconds: 20,
      everyMs: 200,
    })
    const wanted = AGENTS * PER_SECOND * SECONDS
    if (result.events < 0.95 * wanted) throw new Error(`only ${result.events} of ${wanted} events were written`)
    return result
  } finally {
    bare?.kill()
    await supervisor.stop()
    store.close()
    for (const fd of speakers) closeSync(fd)
  }
}

function openPipe(path) {
  execFileSync('mkfifo', [path])
  // Also open for reading: otherwise opening waits for the agent.
  return openSync(path, constants.O_RDWR | constants.O_NONBLOCK)
}

/** Writes each agent's next line when it is due, the agents one after the other. */
function talking(speakers) {
  const stream = claudeStream()
  const lines = Array.from({ length: 100 }, (_, turn) => stream.turn(turn)).flat()
  for (const fd of speakers) writeSync(fd, stream.first)
  const began = now()
  let told = 0
  const timer = setInterval(() => {
    const due = (elapsed(began) / 1000) * PER_SECOND * speakers.length
    for (; told < due; told++) {
      const speaker = told % speakers.length
      writeSync(speakers[speaker], lines[Math.floor(told / speakers.length) % lines.length])
    }
  }, 5)
  return { told: () => told, stop: () => clearInterval(timer) }
}
