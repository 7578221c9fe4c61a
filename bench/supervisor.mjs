import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { delimiter, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { FLEET } from './build.mjs'
import { EPOCH, now } from './clock.mjs'
import { environment, run } from './measure.mjs'

/** Shared by the supervisor's benchmarks: homes of scripts, a supervisor on them, and what it costs. */

/** `on` needs root, and a kernel that permits it. */
export function namespaces() {
  const argv = ['--pid', '--fork', '--kill-child=SIGKILL', '--mount-proc', '--', '/bin/sh', '-c', 'test $$ -eq 1']
  const works = process.getuid() === 0 && spawnSync('unshare', argv).status === 0
  return works ? ['off', 'on'] : ['off']
}

/** A home of equal tasks in one project folder: a script each, or whatever the stand-in of a coder does. */
export function homeOfTasks(folder, name, { tasks, script, coder = 'shell', settings }) {
  const cwd = join(folder.path, 'project')
  mkdirSync(cwd, { recursive: true })
  const home = folder.seed(name, { tasks, script, cwd })
  run(process.execPath, [FLEET, 'config', 'set', `coder=${coder}`, ...settings], { FLEET_HOME: home })
  return home
}

/** Runs a supervisor until no work is left. Returns its own CPU and memory, and the CPU of the whole machine meanwhile. */
export function superviseOnce(home) {
  const before = machineSeconds()
  const done = spawnSync(process.execPath, [...USAGE, ...STEADY, FLEET, 'run', '--once', '--quiet'], {
    env: environment({ FLEET_HOME: home, FLEET_BENCH_EPOCH: EPOCH }),
    stdio: ['ignore', 'inherit', 'inherit', 'pipe'],
    encoding: 'utf8',
  })
  if (done.status !== 0) throw new Error(`fleet run --once ended with ${done.status ?? done.signal}`)
  return { ...JSON.parse(done.output[3]), allSeconds: machineSeconds() - before }
}

const USAGE = ['--require', join(import.meta.dirname, 'usage.cjs')]
const STEADY = ['--require', join(import.meta.dirname, 'steady-clock.cjs')]

/** A supervisor that runs until it is stopped. Returns once it claims tasks. */
export async function startSupervisor(home, env = {}) {
  const starts = () => journal(home).filter(({ event }) => event === 'supervisor-started').length
  const before = starts()
  const child = spawn(process.execPath, [...STEADY, FLEET, 'run', '--quiet'], {
    env: environment({ ...env, FLEET_HOME: home, FLEET_BENCH_EPOCH: EPOCH }),
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  const ended = new Promise((resolve) => child.on('exit', (code, signal) => resolve(code ?? signal)))
  await until('the supervisor has started', () => {
    if (child.exitCode !== null) throw new Error(`fleet run ended with ${child.exitCode}`)
    return starts() > before
  })
  return {
    pid: child.pid,
    ended,
    // Including its launcher.
    cpuSeconds: () => ofBoth(child.pid, cpuSeconds),
    megabytes: () => ofBoth(child.pid, megabytes),
    kill: (signal = 'SIGKILL') => child.kill(signal),
    /** A second SIGTERM stops without waiting for agents. */
    async stop() {
      child.kill('SIGTERM')
      await until('it is stopping', () => journal(home).some(({ event }) => event === 'stopping'))
      child.kill('SIGTERM')
      await ended
    },
  }
}

/** A PATH that begins with a coder's stand-in: a shell script of that name. */
export function standIn(folder, coder, script) {
  const bin = join(folder.path, 'bin')
  mkdirSync(bin, { recursive: true })
  writeFileSync(join(bin, coder), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
  return `${bin}${delimiter}${process.env.PATH}`
}

/** The supervisor's store, read-only. */
export function openStore(home) {
  const db = new DatabaseSync(join(home, 'fleet.db'), { readOnly: true, timeout: 5000 })
  const unfinished = db.prepare("select count(*) as n from task where status <> 'closed'")
  return { unfinished: () => unfinished.get().n, all: (sql) => db.prepare(sql).all(), close: () => db.close() }
}

const { DatabaseSync } = createRequire(import.meta.url)('@photostructure/sqlite')

/** The lines of the supervisor's log, each with `at`, a moment of `now`: the supervisor wrote it by the steady clock. */
export function journal(home) {
  const folder = join(home, 'logging')
  if (!existsSync(folder)) return []
  return readdirSync(folder)
    .filter((name) => name.endsWith('.jsonl'))
    .sort()
    .flatMap((name) => readFileSync(join(folder, name), 'utf8').split('\n').slice(0, -1))
    .map((line) => JSON.parse(line))
    .map((line) => ({ ...line, at: Date.parse(line.ts) - EPOCH }))
}

/** Polls until `holds` returns something, and gives up after `seconds`. */
export async function until(what, holds, { seconds = 60, everyMs = 10 } = {}) {
  const end = now() + seconds * 1000
  for (;;) {
    const value = await holds()
    if (value) return value
    if (now() > end) throw new Error(`waited ${seconds} s until ${what}, in vain`)
    await pause(everyMs)
  }
}

/** User and system time of one process, without its children. */
export function cpuSeconds(pid) {
  const [user, system] = afterName(pid).slice(11, 13)
  return (Number(user) + Number(system)) / TICKS
}

export function megabytes(pid) {
  return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1024
}

/** The sum over a supervisor and its launcher. */
function ofBoth(pid, measure) {
  const launchers = readdirSync('/proc').filter((each) => {
    try {
      return /^\d+$/.test(each) && Number(afterName(each)[1]) === pid && isLauncher(each)
    } catch {
      return false // ended meanwhile
    }
  })
  return [pid, ...launchers].reduce((sum, each) => sum + measure(each), 0)
}

function isLauncher(pid) {
  return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('starts agents')
}

/** CPU time of the whole machine since it started. Agents are not our children, so their own cannot be asked for. */
export function machineSeconds() {
  const [user, nice, system, , , interrupts, more] = readFileSync('/proc/stat', 'utf8')
    .split('\n')[0]
    .split(/\s+/)
    .slice(1)
  return [user, nice, system, interrupts, more].reduce((sum, each) => sum + Number(each), 0) / TICKS
}

/** Linux has had no other value for twenty years. */
const TICKS = 100

/** The fields of /proc/<pid>/stat after the name, which may contain anything. */
function afterName(pid) {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
}
