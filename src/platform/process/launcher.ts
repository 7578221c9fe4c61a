import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { getSystemErrorName } from 'node:util'
import { AppError } from '../../errors.ts'
import { type Started, StartUnanswered } from '../../ports/agents.ts'
import { keysLine } from './exit-file.ts'
import { FORK_SERVER } from './fork-server.ts'
import { closeInheritedDescriptors } from './inherited-descriptors.ts'
import { launcherTitle } from './launcher-title.ts'
import { bootId, processEntry, processTable } from './process-table.ts'
import { findProgram } from './program.ts'
import {
  argvOf,
  type End,
  type Ended,
  environmentOf,
  filesOf,
  type KeyedOrder,
  notStarted,
  OUTPUT,
  requireFolder,
  wrappedArgv,
} from './start-agent.ts'

interface Asked {
  /** Of the monotonic clock. */
  readonly at: number
  readonly order: KeyedOrder
  readonly ended: Ended
  readonly timer: NodeJS.Timeout
  resolve(started: Started): void
  reject(error: Error): void
}

interface Running {
  readonly run: string
  readonly ended: Ended
}

const READY_WITHIN = 5000
/** After this long without an answer the launcher counts as gone. */
const ANSWER_WITHIN = 30_000

/** The numbers of setsid, exit_group, clone, mount and prctl. */
export const SYSTEM_CALLS: Partial<Record<NodeJS.Architecture, readonly number[]>> = {
  x64: [112, 231, 56, 165, 157],
  arm64: [157, 94, 220, 40, 167],
}

/**
 * Starts the launcher process. undefined: this machine cannot run one, and the supervisor starts agents itself. `gone` is
 * called once, when the launcher ends; from then on the supervisor starts agents itself too. `home`: whose agents it starts.
 */
export async function openLauncher({
  gone = () => {},
  home,
}: {
  gone?: () => void
  home?: string
} = {}): Promise<Launcher | undefined> {
  const perl = findProgram('perl', process.env)
  const systemCalls = process.platform === 'linux' ? SYSTEM_CALLS[process.arch] : undefined
  // The launcher reads /proc, and writes start times as /proc has them.
  if (perl === undefined || systemCalls === undefined || processTable().kind !== 'proc') return undefined
  closeInheritedDescriptors()
  const child = spawn(perl, ['-e', FORK_SERVER, launcherTitle(home), ...[...systemCalls, OUTPUT].map(String)], {
    cwd: '/',
    // Without the variables that change how perl behaves.
    env: { PATH: process.env['PATH'] ?? '' },
    detached: true,
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  const launcher = new Launcher(child, gone)
  return (await launcher.ready) ? launcher : undefined
}

/** The supervisor's end of the fork server. Once the server is gone, it starts no more agents. */
export class Launcher implements Disposable {
  readonly #child: ChildProcess
  readonly #onGone: () => void
  readonly #asked = new Map<string, Asked>()
  /** By the pid of the leader. */
  readonly #running = new Map<number, Running>()
  /** Ends that were reported before their start. */
  readonly #early = new Map<number, End>()
  /** Runs whose end was reported, and that have not been told yet. */
  readonly #untold = new Set<string>()
  readonly ready: Promise<boolean>
  #settleReady: (ready: boolean) => void = () => {}
  /** The environment that the server has now. An order adds only the variables that differ. */
  #env: Readonly<Record<string, string>> = {}
  /** The server makes pid namespaces itself, without `unshare`. */
  #makesNamespaces = false
  #rest = ''
  #alive = true

  constructor(child: ChildProcess, gone: () => void = () => {}) {
    this.#child = child
    this.#onGone = gone
    this.ready = new Promise((resolve) => {
      this.#settleReady = resolve
    })
    const timer = setTimeout(() => this.#gone(), READY_WITHIN)
    void this.ready.then(() => clearTimeout(timer))
    child.on('error', () => this.#gone())
    child.on('exit', () => this.#gone())
    child.stdin?.on('error', () => this.#gone())
    child.stdout?.setEncoding('utf8').on('data', (text: string) => this.#take(text))
  }

  get alive(): boolean {
    return this.#alive
  }

  get pid(): number | undefined {
    return this.#child.pid
  }

  /** The pids of the processes that lead its runs. */
  get leaders(): { has(pid: number): boolean } {
    return this.#running
  }

  /** It may have forked the leader of this run, or the leader may have ended, without its caller having been told yet. */
  isInDoubt(run: string): boolean {
    if (this.#asked.has(run) || this.#untold.has(run)) return true
    for (const [leader, running] of this.#running) {
      if (running.run === run) return processEntry(leader)?.alive !== true
    }
    return false
  }

  /**
   * The pids of its children that lead no run: all that ended runs have left, zombies too. undefined: it cannot tell; or a
   * start is under way, whose leader would be among them; or a leader has just ended, whose agent may live on among them.
   */
  orphans(): readonly number[] | undefined {
    if (!this.#alive || this.#asked.size > 0 || this.#untold.size > 0) return undefined
    try {
      const text = readFileSync(`/proc/${this.pid}/task/${this.pid}/children`, 'utf8')
      const children = text.split(' ').filter((each) => each !== '')
      const orphans = children.map(Number).filter((pid) => !this.#running.has(pid))
      // Looked at after the children: they come from no leader that is still alive.
      const isOneDead = (): boolean => [...this.#running.keys()].some((pid) => processEntry(pid)?.alive !== true)
      return orphans.length > 0 && isOneDead() ? undefined : orphans
    } catch {
      return undefined
    }
  }

  /** How long the oldest start has not been answered; undefined: none waits. */
  get startingForMs(): number | undefined {
    const [oldest] = this.#asked.values()
    return oldest === undefined ? undefined : performance.now() - oldest.at
  }

  start(order: KeyedOrder, ended: Ended): Promise<Started> {
    return new Promise((resolve, reject) => {
      requireFolder(order.cwd)
      // Throws for an order that cannot be encoded, before it counts as pending.
      const messages = this.#messages(order)
      const timer = setTimeout(() => this.#gone(), ANSWER_WITHIN).unref()
      this.#asked.set(order.run, { at: performance.now(), order, ended, timer, resolve, reject })
      this.#batchWrites()
      for (const each of messages) this.#child.stdin?.write(each)
    })
  }

  /** Agents share nearly all of their environment: it is sent once, and each order adds only what differs. */
  #messages(order: KeyedOrder): Buffer[] {
    const messages: Buffer[] = []
    const env = environmentOf(order)
    if (Object.keys(this.#env).some((name) => env[name] === undefined) || Object.keys(this.#env).length === 0) {
      messages.push(message('env', ...Object.entries(env).map(variable)))
      this.#env = env
    }
    const own = Object.entries(env).filter(([name, value]) => this.#env[name] !== value)
    const { stdin = '/dev/null', stdout, stderr } = filesOf(order)
    const inside = order.namespace && this.#makesNamespaces
    const argv = inside ? wrappedArgv(order) : argvOf(order)
    const place = [inside ? 'namespace' : '', order.cwd, keysLine(order.keys), stdin, stdout, stderr]
    messages.push(message('start', order.run, ...place, own.length, ...own.map(variable), ...argv))
    return messages
  }

  /** Sends all orders of one turn of the event loop in one write. */
  #batchWrites(): void {
    const { stdin } = this.#child
    if (stdin === null || stdin.writableCorked > 0) return
    stdin.cork()
    setImmediate(() => stdin.uncork())
  }

  [Symbol.dispose](): void {
    this.#alive = false
    this.#child.stdin?.end()
    this.#child.unref()
  }

  #take(text: string): void {
    const lines = (this.#rest + text).split('\n')
    this.#rest = lines.pop() ?? ''
    for (const line of lines) {
      const [word, ...fields] = line.split(' ')
      if (word === 'ready') this.#begin(fields)
      if (word === 'started') this.#started(fields)
      if (word === 'failed') this.#failed(fields)
      if (word === 'ended') this.#ended(Number(fields[0]), endOf(fields))
    }
  }

  #begin([can = '']: readonly string[]): void {
    this.#makesNamespaces = can === 'namespace'
    this.#settleReady(true)
  }

  #started([run = '', pid = '', startTime = '', output = '']: readonly string[]): void {
    const asked = this.#answered(run)
    if (asked === undefined) return
    this.#running.set(Number(pid), { run, ended: asked.ended })
    asked.resolve({ pid: Number(pid), startTime, bootId: bootId(), output })
    const early = this.#early.get(Number(pid))
    this.#early.delete(Number(pid))
    if (early !== undefined) this.#ended(Number(pid), early)
  }

  #failed([run = '', errno = '', what = '']: readonly string[]): void {
    const asked = this.#answered(run)
    const code = getSystemErrorName(-Number(errno))
    asked?.reject(notStarted(asked.order, { what, code }))
  }

  #ended(pid: number, end: End): void {
    const running = this.#running.get(pid)
    if (running === undefined) {
      this.#early.set(pid, end)
      return
    }
    this.#running.delete(pid)
    const { run, ended } = running
    this.#untold.add(run)
    // After the promise of its start has resolved.
    setImmediate(() => {
      this.#untold.delete(run)
      ended(end)
    })
  }

  #answered(run: string): Asked | undefined {
    const asked = this.#asked.get(run)
    this.#asked.delete(run)
    clearTimeout(asked?.timer)
    return asked
  }

  /** Pending starts may have happened; their exits will not be reported. */
  #gone(): void {
    if (this.#alive) this.#onGone()
    this.#alive = false
    this.#settleReady(false)
    this.#child.kill('SIGKILL')
    for (const run of this.#asked.keys()) {
      this.#answered(run)?.reject(new StartUnanswered(`the launcher ended; whether it started ${run} is unknown`))
    }
    const running = [...this.#running.values()]
    this.#running.clear()
    for (const { ended } of running) setImmediate(ended, UNKNOWN)
  }
}

const UNKNOWN: End = { code: null, left: 'perhaps' }

function endOf([, status, left]: readonly string[]): End {
  const code = (Number(status) & 127) === 0 ? Number(status) >> 8 : null
  return { code, left: left === 'nothing' || left === 'group' ? left : 'perhaps' }
}

/** NUL separates the fields; no path, argument or variable may contain one. */
function message(...fields: readonly (string | number)[]): Buffer {
  if (fields.some((field) => typeof field === 'string' && field.includes('\0'))) {
    throw new AppError('config', 'no agent can be given a NUL, in an argument, a variable or a path', {
      hint: 'look for it in the coder, the lane or the task that gave it',
    })
  }
  const body = Buffer.from(fields.join('\0'))
  return Buffer.concat([Buffer.from(`${body.length}\n`), body])
}

function variable([name, value]: readonly [string, string]): string {
  return `${name}=${value}`
}
