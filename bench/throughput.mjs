import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { anchor } from './build.mjs'
import { inFolder, median, report } from './measure.mjs'
import { homeOfTasks, journal, machineSeconds, namespaces, superviseOnce } from './supervisor.mjs'

const TASKS = 2000
const AT_ONCE = 50
const ROUNDS = 5
const BAR = 0.6
const SCRIPT = 'echo one\necho two\n'

export const throughput = {
  name: 'throughput',
  about: `${TASKS} scripts that print two lines, ${AT_ONCE} at once, first claim to last close, against a bare loop that spawns them`,
  run: ({ rounds = ROUNDS } = {}) =>
    inFolder((folder) => {
      const script = join(folder.path, 'script.sh')
      writeFileSync(script, SCRIPT)
      const sides = new Map([['bare loop', () => bare(script)]])
      for (const namespace of namespaces()) {
        const settings = [`max_concurrent=${AT_ONCE}`, `pid_namespace=${namespace}`]
        const seeded = homeOfTasks(folder, `seeded-${namespace}`, { tasks: TASKS, script: SCRIPT, settings })
        sides.set(`fleet, namespace ${namespace}`, () => supervised(folder.copy(seeded, 'home')))
      }
      const results = new Map([...sides.keys()].map((side) => [side, []]))
      for (let round = 0; round < rounds; round++) {
        // Sides take turns at going first, so that other load on the machine hits all alike.
        const order = [...sides.keys()]
        order.push(...order.splice(0, round % order.length))
        for (const side of order) results.get(side).push(sides.get(side)())
      }
      return verdict(results, rounds)
    }),
}

function bare(script) {
  const before = machineSeconds()
  const { done, bytes, seconds } = report(anchor('throughput'), [script, String(TASKS), String(AT_ONCE)])
  if (done !== TASKS || bytes !== TASKS * 'one\ntwo\n'.length) throw new Error(`the bare loop read ${bytes} of ${done}`)
  return { seconds, allSeconds: machineSeconds() - before }
}

function supervised(home) {
  const used = superviseOnce(home)
  const lines = journal(home)
  const closed = lines.filter(({ event, becomes }) => event === 'run-ended' && becomes === 'closed')
  if (closed.length !== TASKS) throw new Error(`${closed.length} of ${TASKS} tasks were closed`)
  const began = lines.find(({ event }) => event === 'supervisor-started').at
  return { ...used, seconds: (closed.at(-1).at - began) / 1000 }
}

function verdict(results, rounds) {
  const [[, anchors], ...fleets] = results
  const figures = {}
  for (const [side, each] of results) {
    const perTask = (name) => `${((median(each.map((one) => one[name])) / TASKS) * 1000).toFixed(2)} ms`
    const own = each[0].cpuSeconds === undefined ? '' : `, ${perTask('cpuSeconds')} of it the supervisor`
    figures[`${side}, median of ${rounds}`] =
      `${Math.round(median(each.map(({ seconds }) => TASKS / seconds)))} tasks/s, CPU of the machine per task ${perTask('allSeconds')}${own}`
  }
  const ratioOf = (each, name) => median(each.map((one, round) => anchors[round][name] / one[name]))
  const ratios = fleets.map(([, each]) => ratioOf(each, 'seconds'))
  figures['the same in CPU'] = fleets.map(([, each]) => ratioOf(each, 'allSeconds').toFixed(2)).join(', ')
  return {
    figures,
    ratio: `${ratios.map((ratio) => ratio.toFixed(2)).join(', ')}, median of the rounds`,
    bar: `>= ${BAR}`,
    pass: ratios.every((ratio) => ratio >= BAR),
  }
}
