import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Connection } from '../contract/subject.ts'
import type { Job } from './worker.ts'

/** Where test/support/build.ts puts the programs that run as processes. */
export const BUILT = join(import.meta.dirname, '../../.build/test')

/** A worker process that waits for its start; killed when it goes out of scope. */
export class Worker implements AsyncDisposable {
  readonly #child: ChildProcessWithoutNullStreams
  readonly #lines: AsyncIterator<string>
  #errors = ''

  private constructor(child: ChildProcessWithoutNullStreams) {
    this.#child = child
    this.#lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
    child.stdin.on('error', () => {}) // it has ended: `finish` reports why
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#errors += text
    })
  }

  static async start(connection: Connection, job: Job): Promise<Worker> {
    const { NODE_EXTRA_CA_CERTS: _slow, ...env } = process.env
    const argv = [join(BUILT, 'worker.cjs'), JSON.stringify(connection), JSON.stringify(job)]
    const worker = new Worker(spawn(process.execPath, argv, { env }))
    if ((await worker.next()) === 'ready') return worker
    await worker.kill()
    throw new Error(`the worker did not start: ${worker.#errors}`)
  }

  /** Starts one worker per job and waits until all are ready. */
  static async startAll(connection: Connection, jobs: readonly Job[]): Promise<Workers> {
    const started = await Promise.allSettled(jobs.map((job) => Worker.start(connection, job)))
    const workers = new Workers(started.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : [])))
    const failed = started.find((each) => each.status === 'rejected')
    if (failed === undefined) return workers
    await workers[Symbol.asyncDispose]()
    throw failed.reason
  }

  /** Its next report; undefined when it has ended. */
  async next(): Promise<string | undefined> {
    const { done, value } = await this.#lines.next()
    return done === true ? undefined : JSON.parse(value)
  }

  /** Starts its job; the times of its calls count from `moment`. */
  go(moment = Date.now()): this {
    this.#child.stdin.write(`${moment}\n`)
    return this
  }

  /** Waits for its end and returns its remaining reports. */
  async finish(): Promise<string[]> {
    const reports: string[] = []
    for (let line = await this.next(); line !== undefined; line = await this.next()) reports.push(line)
    if (this.#child.exitCode === null && this.#child.signalCode === null) await once(this.#child, 'exit')
    if (this.#child.exitCode !== 0) throw new Error(`the worker failed: ${this.#errors}`)
    return reports
  }

  /** Sends SIGKILL and returns its remaining reports. */
  async kill(): Promise<string[]> {
    this.#child.kill('SIGKILL')
    if (this.#child.exitCode === null && this.#child.signalCode === null) await once(this.#child, 'exit')
    const reports: string[] = []
    for (let line = await this.next(); line !== undefined; line = await this.next()) reports.push(line)
    return reports
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill()
  }
}

class Workers implements AsyncDisposable {
  readonly #workers: readonly Worker[]

  constructor(workers: readonly Worker[]) {
    this.#workers = workers
  }

  /** Starts them all and returns the reports of each. */
  async run(moment?: number): Promise<string[][]> {
    return Promise.all(this.#workers.map((worker) => worker.go(moment).finish()))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.kill()))
  }
}
