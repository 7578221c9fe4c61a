import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { type HomeStore, openLocalStore } from '../../src/app.ts'
import type { Receipt } from '../../src/domain/run/receipt.ts'
import type { Run } from '../../src/domain/run/run.ts'
import type { Task } from '../../src/domain/task/task.ts'
import { subjectOfProcess } from '../../src/domain/verify/verification.ts'
import { Home } from '../../src/platform/files/home.ts'
import { localAgents } from '../../src/platform/process/agents.ts'
import type { Ledger } from '../../src/ports/ledger.ts'
import { type Start, type Step, type Stub, stubAs, stubBlock } from '../stub-agent/stub-as.ts'
import { FLEET, type Ran, run, scrubbed, type TestHome, temporaryFolder, testHome } from './cli.ts'
import { createTasks, settingsGiven } from './create-task.ts'
import type { LogLine } from './home-run.ts'
import { poll } from './poll.ts'

/**
 * Timeouts short enough for tests, except those that an agent on a busy machine could meet by mistake: a test of these sets
 * its own.
 */
const QUICK = [
  'timeouts.first_event=2m',
  'timeouts.idle=2m',
  'timeouts.after_result=2s',
  'timeouts.grace=1s',
  'max_concurrent=10',
]

export type Steps = readonly Step[] | readonly (readonly Step[])[]

export interface Fleet {
  readonly home: TestHome
  readonly stub: Stub
  readonly ledger: Ledger
  /** Creates an empty file in the project, for agents that wait for it. */
  touch(name: string): void
  /** Another project folder; `git`: with a commit of `kept.txt`. */
  project(name: string, how?: { git?: boolean }): string
  /**
   * Creates a task with these steps for its agent, or with this script, in its own project unless `flags` (of
   * `fleet bd create`) name another.
   */
  create(title: string, what: Steps | string, ...flags: readonly string[]): string
  /** Creates many tasks with scripts. */
  createAll(scripts: readonly { readonly title: string; readonly script: string }[]): readonly string[]
  /** Starts `fleet run`; a running supervisor is ended first, with this signal. */
  start(signal?: NodeJS.Signals): Promise<void>
  /** Ends the supervisor with this signal, and waits for its exit. */
  end(signal: NodeJS.Signals): Promise<void>
  /** Waits until the supervisor has ended by itself. */
  over(): Promise<{ readonly code: number | null; readonly said: string }>
  /** The pid of the supervisor. */
  readonly pid: number
  /** The runs of this home that have a process, whatever the ledger says. */
  alive(): readonly string[]
  /** Runs a person's command. */
  fleet(...argv: readonly string[]): Ran
  task(id: string): Promise<Task>
  /** Waits until the task has this status and no open run. */
  settled(id: string, status: string): Promise<Task>
  /** Waits until this many of its attempts have been settled. */
  ended(id: string, times?: number): Promise<Run>
  /** Waits until this many of its agents have started. */
  started(id: string, times?: number): Promise<Start>
  starts(id: string): readonly Start[]
  runs(id: string): readonly Run[]
  receipt(id: string, attempt?: number): Receipt
  /** Reads a file of the task's folder. */
  text(id: string, ...path: readonly string[]): string
  exists(id: string, ...path: readonly string[]): boolean
  /** The supervisor's log. */
  log(): readonly LogLine[]
}

export interface FleetOptions {
  readonly config?: readonly string[]
  readonly env?: NodeJS.ProcessEnv
  readonly coder?: string
  /** Fleet and its agents run as this user, to whom home and projects belong; only root can. */
  readonly uid?: number
}

/**
 * A home, a stub in place of the coder, and a supervisor that the test starts. At the end of the test the
 * supervisor is stopped, and no process of its runs may be left: the check goes by marker, not by fleet's records.
 */
export function testFleet({ config = [], env = {}, coder = 'claude', uid }: FleetOptions = {}): Fleet {
  const user = uid === undefined ? {} : { uid, gid: uid }
  const base = temporaryFolder()
  if (uid !== undefined) chownSync(base, uid, uid)
  const home = testHome(base, [], uid, [...QUICK, ...config])
  const stub = stubAs(coder, undefined, uid)
  const store = openLocalStore(new Home(home.path))
  const surroundings = { FLEET_HOME: home.path, PATH: stub.path, ...env }
  let supervisor: ChildProcess | undefined
  let said = ''
  onTestFinished(async () => {
    try {
      await end('SIGTERM')
    } finally {
      const left = leftOf(store)
      await store[Symbol.asyncDispose]()
      expect(left).toEqual([])
    }
  })

  async function end(signal: NodeJS.Signals): Promise<void> {
    if (supervisor === undefined || supervisor.exitCode !== null || supervisor.signalCode !== null) return
    const one = supervisor
    one.kill(signal)
    const patience = setTimeout(() => one.kill('SIGKILL'), 120_000)
    const [, ended] = await once(one, 'exit')
    clearTimeout(patience)
    if (signal !== 'SIGKILL' && ended === 'SIGKILL') throw new Error(`it did not end after ${signal}: ${said}`)
  }

  async function start(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    await end(signal)
    supervisor = spawn(process.execPath, [FLEET, 'run'], {
      env: { ...scrubbed(), ...surroundings },
      cwd: home.project,
      stdio: ['ignore', 'pipe', 'pipe'],
      ...user,
    })
    for (const stream of [supervisor.stdout, supervisor.stderr]) {
      stream?.setEncoding('utf8').on('data', (text) => {
        said += text
      })
    }
  }

  const project = (name: string, { git = false } = {}): string => {
    const path = join(home.project, name)
    mkdirSync(path)
    if (uid !== undefined) chownSync(path, uid, uid)
    if (!git) return path
    writeFileSync(join(path, 'kept.txt'), 'old\n')
    const made = [
      ['init', '-q', '-b', 'main'],
      // Landing needs one, and the user of this machine may have none.
      ['config', 'user.name', 't'],
      ['config', 'user.email', 't@localhost'],
      ['add', '.'],
      ['commit', '-q', '-m', 'First'],
    ]
    for (const argv of made) expect(run('git', argv, { cwd: path, ...user })).toMatchObject({ code: 0 })
    return path
  }
  let projects = 0
  const folder = (id: string, ...path: readonly string[]): string => join(home.path, 'tasks', id, ...path)
  const task = async (id: string): Promise<Task> => {
    const found = await store.queue.get(id)
    if (found === undefined) throw new Error(`no such task: ${id}`)
    return found
  }
  const starts = (id: string): readonly Start[] => stub.starts().filter((each) => each.task === id)
  const told = (id: string): string =>
    JSON.stringify({ state: store.ledger.stateOf(id), runs: store.ledger.runsOf(id), said }, undefined, 1)

  return {
    home,
    stub,
    ledger: store.ledger,
    start,
    end,
    get pid() {
      return supervisor?.pid ?? 0
    },
    async over() {
      const one = supervisor
      if (one === undefined) throw new Error('no supervisor was started')
      await until(
        async () => one.exitCode !== null || one.signalCode !== null,
        () => `the supervisor ends by itself: ${said}`,
      )
      return { code: one.exitCode, said }
    },
    alive: () => [...localAgents().sweep().keys()].filter((run) => store.ledger.run(run) !== undefined),
    fleet: (...argv) => home.fleet(argv, { env: surroundings }),
    project,
    touch: (name) => writeFileSync(join(home.project, name), ''),
    create(title, what, ...flags) {
      const [description, coder] = typeof what === 'string' ? [what, 'shell'] : [stubBlock(what), undefined]
      const place = flags.includes('--cwd') ? [] : ['--cwd', project(`own-${++projects}`)]
      const settings = settingsGiven([...place, ...flags])
      if (settings?.cwd !== undefined) {
        const own = { ...(coder !== undefined && { coder }), ...settings, cwd: settings.cwd }
        return createTasks(home.path, [{ title, description, settings: own }], uid)[0] as string
      }
      const argv = ['create', title, '--silent', '--description', description]
      const made = home.bd([...argv, ...(coder === undefined ? [] : ['--coder', coder]), ...place, ...flags], {
        env: surroundings,
      })
      if (made.code !== 0) throw new Error(made.stderr)
      return made.stdout.trim()
    },
    createAll(scripts) {
      const tasks = scripts.map(({ title, script }) => ({
        title,
        description: script,
        settings: { cwd: project(`own-${++projects}`), coder: 'shell' },
      }))
      return createTasks(home.path, tasks, uid)
    },
    task,
    async settled(id, status) {
      const there = async () => (await task(id)).status === status && store.ledger.openRunOf(id) === undefined
      await until(there, () => `${id} is ${status}: ${told(id)}`)
      return await task(id)
    },
    async ended(id, times = 1) {
      const one = () => store.ledger.runsOf(id)[times - 1]
      await until(
        async () => one()?.phase === 'settled',
        () => `${id} has ended ${times} times: ${told(id)}`,
      )
      return one() as Run
    },
    async started(id, times = 1) {
      await until(
        async () => starts(id).length >= times,
        () => `${id} has started ${times} times: ${told(id)}`,
      )
      return starts(id)[times - 1] as Start
    },
    starts,
    runs: (id) => store.ledger.runsOf(id),
    receipt: (id, attempt = 1) =>
      JSON.parse(readFileSync(folder(id, 'attempts', String(attempt), 'receipt.json'), 'utf8')),
    text: (id, ...path) => readFileSync(folder(id, ...path), 'utf8'),
    exists: (id, ...path) => existsSync(folder(id, ...path)),
    log() {
      const logging = join(home.path, 'logging')
      return readdirSync(logging)
        .filter((name) => name.endsWith('.jsonl'))
        .flatMap((name) => readFileSync(join(logging, name), 'utf8').split('\n'))
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line))
    },
  }
}

/** Waits for a condition; `what` it was, if it never comes true. */
export function until(condition: () => Promise<boolean>, what: () => string): Promise<void> {
  return poll(condition, what)
}

/** Finds and kills all processes of this home's runs, so that a failed test leaves nothing to the next. */
function leftOf({ ledger }: HomeStore): string[] {
  const agents = localAgents()
  // A command of a check belongs to its run.
  const runOf = (mark: string) => ledger.run(subjectOfProcess(mark).run)
  const known = [...agents.sweep()].filter(([mark]) => runOf(mark) !== undefined)
  return known.flatMap(([mark, found]) =>
    found.map((each) => {
      agents.kill(each)
      return `${runOf(mark)?.task}: ${each.pid} ${each.command}`
    }),
  )
}

// ---- steps of the stub agent ----

export const init: Step = { claude: 'init' }
export const says = (text: string): Step => ({ claude: 'text', text })
export const result = (text = 'done', fields: Step = {}): Step => ({ claude: 'result', text, fields })
export const hang: Step = { hang: true }

/** A tool call, and what happens while it is open. */
export const tool = (...steps: readonly Step[]): Step => ({ claude: 'tool', do: steps })
export const claims = (summary = 'all done'): Step => ({
  claude: 'tool',
  input: { command: `fleet done '${summary.replaceAll("'", '')}'` },
  do: [{ fleet: ['done', summary] }],
})
export const writes = (path: string, text = 'work\n'): Step => ({
  claude: 'tool',
  name: 'Write',
  input: { file_path: path },
  do: [{ write: path, text }],
})

/** Does its work and claims to be done. */
export const healthy = (file: string): readonly Step[] => [init, writes(file), claims(), result()]
