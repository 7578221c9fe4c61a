import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, closeSync, existsSync, mkdirSync, openSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type HomeStore, openLocalStore } from '../../src/app.ts'
import type { Receipt } from '../../src/domain/run/receipt.ts'
import type { Lane, Run } from '../../src/domain/run/run.ts'
import type { Task } from '../../src/domain/task/task.ts'
import { Home } from '../../src/platform/files/home.ts'
import type { Ledger } from '../../src/ports/ledger.ts'
import { FLEET } from '../support/cli.ts'
import type { RealCoder } from './coders/real-coder.ts'
import { type Desk, desk } from './desk.ts'
import { diagnosis } from './diagnosis.ts'
import type { Conversation } from './model/conversation.ts'
import { type Model, startModel } from './model/server.ts'
import type { Turn } from './model/turns.ts'
import { end, marked, ran, until } from './processes.ts'

/** Short enough for a test, long enough for a CLI that shares two cores with nine others. */
const TIMEOUTS = ['timeouts.grace=2s', 'timeouts.after_result=20s']

/** A fleet whose one real coder talks to a scripted model. */
export class FleetWithCoder implements AsyncDisposable {
  readonly coder: RealCoder
  readonly model: Model
  readonly project: string
  readonly #desk: Desk
  readonly #home: string
  readonly #store: HomeStore
  #supervisor: ChildProcess | undefined

  private constructor(coder: RealCoder, made: { model: Model; desk: Desk; home: string; store: HomeStore }) {
    this.coder = coder
    this.model = made.model
    this.project = made.desk.project
    this.#desk = made.desk
    this.#home = made.home
    this.#store = made.store
  }

  static async make(coder: RealCoder, config: readonly string[] = []): Promise<FleetWithCoder> {
    const model = await startModel()
    const place = await desk(coder, model)
    const home = join(place.folder, 'fleet')
    const at = { cwd: place.project, env: { ...place.env, FLEET_HOME: home } }
    const settings = [
      `coder=${coder.name}`,
      `env_pass=["${coder.key}"]`,
      envSetting(coder, coder.env({ url: model.url, home: place.home })),
    ]
    for (const argv of [
      ['init', '--queue', 'local'],
      ['config', 'set', ...settings, ...TIMEOUTS, ...config],
    ]) {
      const { code, stderr } = await ran([process.execPath, FLEET, ...argv], at)
      if (code !== 0) throw new Error(stderr)
    }
    return new FleetWithCoder(coder, { model, desk: place, home, store: openLocalStore(new Home(home)) })
  }

  get #output(): string {
    return join(this.#desk.folder, 'supervisor.out')
  }

  get ledger(): Ledger {
    return this.#store.ledger
  }

  /** A person's command; throws if it fails. */
  async fleet(...argv: readonly string[]): Promise<string> {
    const { code, stdout, stderr } = await ran([process.execPath, FLEET, ...argv], this.#place())
    if (code !== 0) throw new Error(`fleet ${argv.join(' ')}: exit ${code}\n${stderr}`)
    return stdout
  }

  /** Replaces the paths of this machine by those of a page's reader. */
  anonymous(text: string): string {
    const [bin = ''] = (this.#desk.env['PATH'] ?? '').split(':')
    return text
      .replaceAll(this.#home, '/home/you/.fleet')
      .replaceAll(this.project, '/home/you/shop')
      .replaceAll(this.#desk.home, '/home/you')
      .replaceAll(bin, '/usr/local/bin')
  }

  get userHome(): string {
    return this.#desk.home
  }

  /** Adds a text to a file in the user's home. */
  addToHome(path: string, text: string): void {
    mkdirSync(dirname(join(this.#desk.home, path)), { recursive: true })
    appendFileSync(join(this.#desk.home, path), text)
  }

  /** Adds variables to the coder's own. */
  async reconfigure(more: Readonly<Record<string, string>>): Promise<void> {
    const env = { ...this.coder.env({ url: this.model.url, home: this.#desk.home }), ...more }
    await this.fleet('config', 'set', envSetting(this.coder, env))
  }

  /** A task for the coder, and the model's turns for it. */
  async create(title: string, turns: readonly Turn[]): Promise<{ id: string; talk: Conversation }> {
    const talk = this.model.script(title, turns)
    const id = await this.fleet('bd', 'create', title, '--silent', '--description', 'Do what it says.')
    return { id: id.trim(), talk }
  }

  /** A task that needs no model. */
  async createScript(title: string, script: string): Promise<string> {
    return (await this.fleet('bd', 'create', title, '--silent', '--coder', 'shell', '--description', script)).trim()
  }

  /** Starts `fleet run`; an earlier one must have ended. */
  start(): void {
    const output = openSync(this.#output, 'a')
    const place = { ...this.#place(), stdio: ['ignore', output, output] as ['ignore', number, number] }
    this.#supervisor = spawn(process.execPath, [FLEET, 'run'], place)
    closeSync(output)
  }

  async end(signal: NodeJS.Signals): Promise<void> {
    const one = this.#supervisor
    if (one === undefined || one.exitCode !== null || one.signalCode !== null) return
    one.kill(signal)
    const patience = setTimeout(() => one.kill('SIGKILL'), 20_000)
    await once(one, 'exit')
    clearTimeout(patience)
  }

  async task(id: string): Promise<Task> {
    const found = await this.#store.queue.get(id)
    if (found === undefined) throw new Error(`no such task: ${id}`)
    return found
  }

  /** Waits until the task has this status and no open run. */
  async settled(id: string, status: string): Promise<Task> {
    await this.#until(
      async () => (await this.task(id)).status === status && this.ledger.openRunOf(id) === undefined,
      `${id} is ${status}`,
    )
    return await this.task(id)
  }

  /** Waits until this many of its attempts have been settled, and returns the last of them. */
  async ended(id: string, times = 1): Promise<Run> {
    await this.#until(() => this.runs(id)[times - 1]?.phase === 'settled', `${id} has ended ${times} times`)
    return this.runs(id)[times - 1] as Run
  }

  /** Waits until the model has had this many requests for the task. */
  async asked(talk: Conversation, times: number): Promise<void> {
    await this.#until(() => talk.told.length >= times, `the model was asked ${times} times`)
  }

  /** Waits until so many messages lie where the hooks of the task's run look. */
  async handedOver(id: string, times: number): Promise<void> {
    const isOver = (line: Readonly<Record<string, unknown>>) =>
      line['event'] === 'message-handed-over' && line['task'] === id
    await this.#until(() => this.log().filter(isOver).length >= times, `${times} messages of ${id} are handed over`)
  }

  /** For a coder that retries silently: waits for its message on stderr, then lets the idle timeout end the run. */
  async endSilentRetry(id: string, complaint: string): Promise<void> {
    const log = join(this.#home, 'tasks', id, 'attempts', '1', 'stderr.log')
    const complains = () => existsSync(log) && readFileSync(log, 'utf8').includes(complaint)
    await this.#until(complains, `${this.coder.name} complains: ${complaint}`)
    await this.fleet('config', 'set', 'timeouts.idle=3s')
    await this.ended(id)
    await this.fleet('config', 'set', 'timeouts.idle=10m')
  }

  /** Ends the lane's pause now. */
  async endPause(id: string): Promise<void> {
    this.ledger.saveLane({ ...(await this.lane('paused')), until: Date.now() - 1 })
    await this.fleet('retry', id)
  }

  async lane(state: Lane['state']): Promise<Lane> {
    const lane = () => this.ledger.lanes().find(({ name }) => name === this.coder.name)
    await this.#until(() => lane()?.state === state, `its lane is ${state}`)
    return lane() as Lane
  }

  async #until(condition: () => boolean | Promise<boolean>, what: string): Promise<void> {
    const seen = { ledger: this.ledger, home: this.#home, output: this.#output }
    await until(condition, () => `${what}\n${diagnosis(seen)}\n-- aside: ${this.model.asides.join(', ')}`, 100_000)
  }

  runs(id: string): readonly Run[] {
    return this.ledger.runsOf(id)
  }

  receipt(id: string, attempt = 1): Receipt {
    return JSON.parse(this.text(id, 'attempts', String(attempt), 'receipt.json'))
  }

  /** Reads a file of the task's folder. */
  text(id: string, ...path: readonly string[]): string {
    return readFileSync(join(this.#home, 'tasks', id, ...path), 'utf8')
  }

  log(): readonly Readonly<Record<string, unknown>>[] {
    const logging = join(this.#home, 'logging')
    return readdirSync(logging)
      .filter((name) => name.endsWith('.jsonl'))
      .flatMap((name) => readFileSync(join(logging, name), 'utf8').trim().split('\n'))
      .map((line) => JSON.parse(line))
  }

  /** All processes with this home in their environment. */
  processes(): readonly number[] {
    return marked('FLEET_HOME', this.#home)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    try {
      await this.end('SIGTERM')
    } finally {
      await until(
        () => this.processes().map(end).length === 0,
        () => 'all processes of the test have ended',
      )
      await this.#store[Symbol.asyncDispose]()
      await this.model[Symbol.asyncDispose]()
      this.#desk[Symbol.dispose]()
    }
  }

  #place() {
    return { cwd: this.project, env: { ...this.#desk.env, FLEET_HOME: this.#home } }
  }
}

function envSetting({ name }: RealCoder, env: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(env).map(([key, value]) => `${key} = ${JSON.stringify(value)}`)
  return `coders.${name}.env={ ${pairs.join(', ')} }`
}
