import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, openSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { onTestFinished } from 'vitest'
import { openHomeStore } from '../../src/app.ts'
import type { LogEventName } from '../../src/domain/fleet/log-event.ts'
import type { Run, TaskState } from '../../src/domain/run/run.ts'
import type { Task } from '../../src/domain/task/task.ts'
import { Home } from '../../src/platform/files/home.ts'
import { childrenWith } from './children.ts'
import { FLEET, type Ran, runBeside, scrubbed, type TestHome, testHome } from './cli.ts'
import { inLedger } from './ledger.ts'
import { poll } from './poll.ts'

/** A home and its supervisors, run as users run them. */
export interface FleetHome extends TestHome {
  /** Starts `fleet run` in the foreground and waits until it is up. */
  supervise(options?: SuperviseOptions): Promise<Supervised>
  /** Creates a task for the shell coder: its description is the script. */
  script(text: string, more?: ScriptOptions): Promise<string>
  scripts(texts: readonly string[], more?: ScriptOptions): Promise<readonly string[]>
  task(id: string): Promise<Task | undefined>
  status(id: string): Promise<string | undefined>
  /** The statuses of all tasks. */
  statuses(): Promise<readonly string[]>
  /** Waits until the task has this status. */
  becomes(id: string, status: string): Promise<void>
  /** Runs a command without blocking the other tests of the file. */
  beside(argv: readonly string[]): Promise<Ran>
  runsOf(id: string): readonly Run[]
  stateOf(id: string): TaskState
  /** The number of runs that the ledger has not settled. */
  openRuns(): number
  /** The log of this home's supervisors so far. */
  log(): readonly LogLine[]
  /** Waits for a line of the supervisor's log. */
  logged(event: LogEventName): Promise<LogLine>
  /** The lines of a file in the project; empty if there is no file. */
  lines(name: string): readonly string[]
  /** Every process with this home and the marker of a run in its environment. */
  agents(): readonly number[]
  /** Whether the project has this file. */
  exists(name: string): boolean
  /** Creates an empty file in the project, for scripts that wait for it. */
  touch(name: string): void
  /** The sweep each test ends with. */
  expectNoAgents(): Promise<void>
}

export interface SuperviseOptions {
  readonly argv?: readonly string[]
  readonly env?: NodeJS.ProcessEnv
  /** Only root can run it as another user. */
  readonly uid?: number
  /** false: do not wait until it is up. */
  readonly wait?: boolean
}

export interface Supervised {
  readonly pid: number
  readonly child: ChildProcess
  readonly exited: Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>
  /** Its stdout and stderr. */
  output(): string
  kill(signal: NodeJS.Signals): void
}

export interface ScriptOptions {
  readonly title?: string
  readonly cwd?: string
  readonly coder?: string
}

export interface LogLine {
  readonly event: LogEventName
  readonly [field: string]: unknown
}

const USUAL = ['coder=shell', 'timeouts.grace=1s']

/** Not for concurrent tests: its cleanup belongs to the one test that vitest considers current. */
export async function fleetHome(config: readonly string[] = [], folder?: string): Promise<FleetHome> {
  return supervisable(testHome(folder, [], undefined, [...USUAL, ...config]))
}

/** The same on a shared queue. */
export async function fleetHomeOn(
  url: string,
  config: readonly string[] = [],
  { folder, uid }: { readonly folder?: string; readonly uid?: number | undefined } = {},
): Promise<FleetHome> {
  return supervisable(testHome(folder, ['--queue', url], uid, [...USUAL, ...config]))
}

/** The same on an existing home. */
export async function withSupervisor(base: TestHome, config: readonly string[] = []): Promise<FleetHome> {
  const set = base.fleet(['config', 'set', ...USUAL, ...config])
  if (set.code !== 0) throw new Error(set.stderr)
  return supervisable(base)
}

function supervisable(base: TestHome): FleetHome {
  const { path, project } = base
  const home = new Home(path)
  let started = 0
  const agents = (): readonly number[] => processesOf(path, ['FLEET_RUN_ID='])
  onTestFinished(async () => {
    const gone = (): boolean => processesOf(path).map(endProcess).length === 0
    await eventually(gone, 'all processes of the test have ended')
  })

  const scripts: FleetHome['scripts'] = async (texts, { title = 'A script', cwd = project, coder = 'shell' } = {}) => {
    await using store = await openHomeStore(home)
    const ids: string[] = []
    for (const description of texts) {
      const metadata = { fleet: { cwd, coder } }
      ids.push((await store.queue.create({ title, description, metadata }, 'tester')).id)
    }
    return ids
  }

  const task = async (id: string): Promise<Task | undefined> => {
    await using store = await openHomeStore(home, { readOnly: true })
    return await store.queue.get(id)
  }

  return {
    ...base,
    async supervise({ argv = [], env = {}, uid, wait = true } = {}) {
      const before = supervisorsStarted()
      const output = join(path, '..', `supervisor-${++started}.out`)
      const file = openSync(output, 'a')
      const child = spawn(process.execPath, [FLEET, 'run', ...argv], {
        cwd: project,
        env: { ...scrubbed(), FLEET_HOME: path, ...env },
        stdio: ['ignore', file, file],
        ...(uid === undefined ? {} : { uid, gid: uid }),
      })
      closeSync(file)
      const pid = child.pid as number
      const exited = once(child, 'exit').then(([code, signal]) => ({ code, signal }))
      const supervised: Supervised = {
        pid,
        child,
        exited,
        output: () => readFileSync(output, 'utf8'),
        kill: (signal) => void child.kill(signal),
      }
      if (wait) {
        await eventually(() => {
          if (supervisorsStarted() > before) return true
          if (child.exitCode !== null) throw new Error(`the supervisor has ended: ${supervised.output()}`)
          return false
        }, 'the supervisor has started')
      }
      return supervised
    },
    scripts,
    script: async (text, more) => (await scripts([text], more))[0] as string,
    task,
    status: async (id) => (await task(id))?.status,
    async statuses() {
      await using store = await openHomeStore(home, { readOnly: true })
      const statuses: string[] = []
      for await (const { status } of store.queue.find({})) statuses.push(status)
      return statuses
    },
    becomes: (id, status) =>
      poll(
        async () => (await task(id))?.status === status,
        () => `${id} is ${status}: ${lastWords()}`,
      ),
    beside: (argv) => runBeside(process.execPath, [FLEET, ...argv], { cwd: project, env: { FLEET_HOME: path } }),
    runsOf: (id) => inLedger(base, (ledger) => ledger.runsOf(id)),
    stateOf: (id) => inLedger(base, (ledger) => ledger.stateOf(id)),
    openRuns: () => inLedger(base, (ledger) => ledger.openRuns().length),
    log,
    async logged(event) {
      const said = (): LogLine | undefined => log().find((line) => line.event === event)
      await poll(
        () => said() !== undefined,
        () => `the log says: ${event}: ${lastWords()}`,
      )
      return said() as LogLine
    },
    lines: (name) => linesOf(resolve(project, name)),
    exists: (name) => existsSync(resolve(project, name)),
    touch: (name) => writeFileSync(resolve(project, name), ''),
    agents,
    expectNoAgents: () => eventually(() => agents().length === 0, 'no process of the runs is left'),
  }

  function log(): readonly LogLine[] {
    const files = existsSync(home.logging)
      ? readdirSync(home.logging).filter((name) => /^fleet-.*\.jsonl$/.test(name))
      : []
    return files.sort().flatMap((name) => linesOf(join(home.logging, name)).map((line) => JSON.parse(line) as LogLine))
  }

  /** For the message of a wait that was in vain: the end of the log, and all that supervisors printed. */
  function lastWords(): string {
    const printed = Array.from({ length: started }, (_, n) => join(path, '..', `supervisor-${n + 1}.out`))
    return JSON.stringify({ log: log().slice(-20), printed: printed.map(linesOf) }, undefined, 1)
  }

  function supervisorsStarted(): number {
    return log().filter(({ event }) => event === 'supervisor-started').length
  }
}

/** Waits for a condition; `what` it was, if it never comes true. */
export function eventually(
  condition: () => boolean | Promise<boolean>,
  what: string,
  withinMs?: number,
): Promise<void> {
  return poll(condition, () => what, withinMs)
}

/** The launcher of this supervisor, if it has one. */
export function launchersOf(supervisor: number): number[] {
  return childrenWith('(starts agents)', supervisor)
}

/** Processes with this home and `also` in their environment; reads /proc itself, independently of fleet. */
function processesOf(path: string, also: readonly string[] = []): number[] {
  return processesWith([`FLEET_HOME=${path}\0`, ...also])
}

/** Processes whose environment contains all of these. */
export function processesWith(needles: readonly string[]): number[] {
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return []
    try {
      const environment = readFileSync(`/proc/${name}/environ`, 'latin1')
      return needles.every((needle) => environment.includes(needle)) ? [Number(name)] : []
    } catch {
      return [] // ended, or owned by another user
    }
  })
}

export function endProcess(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has just ended.
  }
}

function linesOf(path: string): string[] {
  if (!existsSync(path)) return []
  return readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
}
