import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { hangBell } from './bell.mjs'
import { elapsed, now } from './clock.mjs'
import { byTurns, inFolder, median } from './measure.mjs'
import { homeOfTasks, journal, namespaces, startSupervisor, until } from './supervisor.mjs'

const SLOTS = 50
const ROUNDS = 7
const BAR = 1000

export const fill = {
  name: 'fill',
  about: `${SLOTS} slots filled from empty, first claim to the last agent's first instruction, against as many bare spawns`,
  run: ({ rounds = ROUNDS } = {}) =>
    inFolder(async (folder) => {
      const sides = new Map([['bare spawns', (bell) => bare(folder, bell)]])
      for (const namespace of namespaces()) {
        const settings = [`max_concurrent=${SLOTS}`, `pid_namespace=${namespace}`]
        // Every round uses the same pipe, so the script stays the same.
        const script = scriptFor(join(folder.path, 'bell'))
        const seeded = homeOfTasks(folder, `seeded-${namespace}`, { tasks: SLOTS, script, settings })
        sides.set(`fleet, namespace ${namespace}`, (bell) => supervised(folder.copy(seeded, 'home'), bell))
      }
      const bell = hangBell(join(folder.path, 'bell'))
      const times = new Map([...sides.keys()].map((side) => [side, []]))
      try {
        for (let round = 0; round < rounds; round++) {
          for (const [side, once] of byTurns([...sides], round)) {
            bell.rung.clear()
            times.get(side).push(await once(bell))
          }
        }
      } finally {
        bell[Symbol.dispose]()
      }
      const [[, bares], ...fleets] = times
      const medians = fleets.map(([, each]) => median(each))
      return {
        figures: Object.fromEntries(
          [...times].map(([side, each]) => [`${side}, median of ${rounds}`, `${Math.round(median(each))} ms`]),
        ),
        ratio: `${medians.map((each) => (each / median(bares)).toFixed(2)).join(' x, ')} x`,
        bar: `< ${BAR} ms`,
        pass: medians.every((each) => each < BAR),
      }
    }),
}

const scriptFor = (bell) => `echo "$$ $FLEET_TASK_ID" >${bell}\nexec sleep 600\n`

const filled = (bell) => until('all slots are filled', () => bell.rung.size === SLOTS, { everyMs: 1 })

async function supervised(home, bell) {
  const supervisor = await startSupervisor(home)
  try {
    await filled(bell)
    const began = journal(home).find(({ event }) => event === 'supervisor-started').at
    return elapsed(began, Math.max(...bell.rung.values()))
  } finally {
    await supervisor.stop()
  }
}

async function bare(folder, bell) {
  const script = join(folder.path, 'script.sh')
  writeFileSync(script, scriptFor(join(folder.path, 'bell')))
  const began = now()
  const children = Array.from({ length: SLOTS }, (_, i) =>
    spawn('/bin/sh', [script], { stdio: ['ignore', 'pipe', 'ignore'], env: { FLEET_TASK_ID: `bare-${i}` } }),
  )
  try {
    await filled(bell)
    return elapsed(began, Math.max(...bell.rung.values()))
  } finally {
    const ended = children.map((child) => new Promise((resolve) => child.on('close', resolve)))
    for (const child of children) child.kill('SIGKILL')
    await Promise.all(ended)
  }
}
