import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { anchor } from './build.mjs'
import { elapsed } from './clock.mjs'
import { byTurns, inFolder, median, report } from './measure.mjs'
import { homeOfTasks, journal, machineSeconds, namespaces, superviseOnce } from './supervisor.mjs'

const TASKS = 2000
const AT_ONCE = 50
const ROUNDS = 5
/**
 * Each side has the bare loop that does the same for its scripts: with a namespace, the loop makes one too (`unshare`).
 * Against a loop without, the figure was the price of a namespace in this kernel, between 0.51 and 0.58 from run to run.
 */
/**
 * Without a namespace the loop forks and execs, and nothing else; fleet also claims, keeps files and a ledger, judges and
 * closes: 1.5 ms of the supervisor's time per task. Quiet runs gave 0.57 to 0.63, so a bar of 0.6 failed every other run.
 */
const BARS = { off: 0.5, on: 0.75 }
const SCRIPT = 'echo one\necho two\n'

export const throughput = {
  name: 'throughput',
  about: `${TASKS} scripts that print two lines, ${AT_ONCE} at once, first claim to last close, against a bare loop that spawns them, in a pid namespace each where fleet makes one`,
  run: ({ rounds = ROUNDS, tasks = TASKS } = {}) =>
    inFolder((folder) => {
      const script = join(folder.path, 'script.sh')
      writeFileSync(script, SCRIPT)
      const sides = namespaces().flatMap((namespace) => {
        const settings = [`max_concurrent=${AT_ONCE}`, `pid_namespace=${namespace}`]
        const seeded = homeOfTasks(folder, `seeded-${namespace}`, { tasks, script: SCRIPT, settings })
        return [
          [`bare, namespace ${namespace}`, () => bare(script, { tasks, namespace })],
          [`fleet, namespace ${namespace}`, () => supervised(folder.copy(seeded, 'home'), tasks)],
        ]
      })
      const results = new Map(sides.map(([side]) => [side, []]))
      for (let round = 0; round < rounds; round++)
        for (const [side, once] of byTurns(sides, round)) results.get(side).push(once())
      return verdict(results, { rounds, tasks, bars: namespaces().map((namespace) => BARS[namespace]) })
    }),
}

function bare(script, { tasks, namespace }) {
  const before = machineSeconds()
  const argv = [script, String(tasks), String(AT_ONCE), namespace]
  const { done, bytes, seconds } = report(anchor('throughput'), argv)
  if (done !== tasks || bytes !== tasks * 'one\ntwo\n'.length) throw new Error(`the bare loop read ${bytes} of ${done}`)
  return { seconds, allSeconds: machineSeconds() - before }
}

function supervised(home, tasks) {
  const used = superviseOnce(home)
  const lines = journal(home)
  const closed = lines.filter(({ event, becomes }) => event === 'run-ended' && becomes === 'closed')
  if (closed.length !== tasks) throw new Error(`${closed.length} of ${tasks} tasks were closed`)
  const began = lines.find(({ event }) => event === 'supervisor-started').at
  return { ...used, seconds: elapsed(began, closed.at(-1).at) / 1000 }
}

function verdict(results, { rounds, tasks, bars }) {
  const figures = {}
  for (const [side, each] of results) {
    const perTask = (name) => `${((median(each.map((one) => one[name])) / tasks) * 1000).toFixed(2)} ms`
    const own = each[0].cpuSeconds === undefined ? '' : `, ${perTask('cpuSeconds')} of it the supervisor`
    figures[`${side}, median of ${rounds}`] =
      `${Math.round(median(each.map(({ seconds }) => tasks / seconds)))} tasks/s, CPU of the machine per task ${perTask('allSeconds')}${own}`
  }
  const all = [...results.values()]
  const pairs = all.flatMap((anchors, n) => (n % 2 === 0 ? [{ anchors, fleet: all[n + 1] }] : []))
  const ratioOf = ({ anchors, fleet }, name) => median(fleet.map((one, round) => anchors[round][name] / one[name]))
  const ratios = pairs.map((pair) => ratioOf(pair, 'seconds'))
  figures['the same in CPU'] = pairs.map((pair) => ratioOf(pair, 'allSeconds').toFixed(2)).join(', ')
  return {
    figures,
    ratio: `${ratios.map((ratio) => ratio.toFixed(2)).join(', ')}, median of the rounds`,
    bar: `>= ${bars.join(', ')}`,
    pass: ratios.every((ratio, n) => ratio >= bars[n]),
  }
}
