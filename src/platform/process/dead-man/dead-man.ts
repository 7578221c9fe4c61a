import { type ChildProcess, spawn } from 'node:child_process'
import { realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { AppError } from '../../../errors.ts'
import type { DeadMan, GuardedRun } from '../../../ports/dead-man.ts'
import { sendSignal } from '../daemon.ts'
import { processTable } from '../process-table.ts'
import { encode, linesOf, titleOf } from './message.ts'

export interface DeadManOptions {
  /** The program that starts the switch: Node, and the command that stands beside the switch's own file. */
  readonly program: { readonly node: string; readonly fleet: string }
  readonly home: string
  readonly env: NodeJS.ProcessEnv
  /** Called each time a switch has ended or does not answer; another one is started. */
  gone(): void
}

/** The variables that Node and the process table need, and no secret of the user. */
const VARIABLES = ['PATH', 'LD_LIBRARY_PATH', 'DYLD_LIBRARY_PATH', 'FLEET_PROCESS_TABLE', 'TMPDIR']

const LOOK_EVERY_MS = 1000
/** After so many looks without an answer the switch counts as hung. Looks, not seconds: the supervisor may be stopped too. */
const PATIENCE = 5
/** Looks between two tries to start a switch, at most. */
const LONGEST_REST = 30
/** How long the start of a run waits for a switch. */
const GUARD_WITHIN_MS = 20_000

interface Waiting {
  readonly n: number
  resolve(): void
  reject(error: Error): void
}

/** The supervisor's end of the dead man's switch. It keeps one running. */
export class DeadManSwitch implements DeadMan, Disposable {
  readonly #options: DeadManOptions
  readonly #title: string
  readonly #file: string
  #child: ChildProcess | undefined
  #runs = new Map<string, GuardedRun>()
  readonly #ended: string[] = []
  #n = 0
  #answered = 0
  #unanswered = 0
  /** How many in a row ended before their first answer, and how many looks the next one waits. */
  #failures = 0
  #rest = 0
  #waiting: Waiting[] = []
  #partial = ''
  /** The message that this switch must have answered before earlier ones are ended; undefined: there is none to end. */
  #endsEarlierAfter: number | undefined
  #over = false
  readonly #timer: NodeJS.Timeout

  constructor(options: DeadManOptions) {
    this.#options = options
    this.#title = titleOf(options.home)
    this.#file = join(dirname(realpathSync(options.program.fleet)), 'dead-man.cjs')
    this.#start()
    this.#timer = setInterval(() => this.#look(), LOOK_EVERY_MS).unref()
  }

  guard(run: GuardedRun): Promise<void> {
    this.started(run)
    const n = this.#n
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(noSwitch()), GUARD_WITHIN_MS).unref()
      const settled = (settle: () => void) => () => {
        clearTimeout(timer)
        settle()
      }
      this.#waiting.push({ n, resolve: settled(resolve), reject: (error) => settled(() => reject(error))() })
    })
  }

  started(run: GuardedRun): void {
    this.#runs.set(run.run, run)
    this.#send(false, [run])
  }

  /** Told with the next message: until then the switch finds nothing to end. */
  ended(run: string): void {
    if (this.#runs.delete(run)) this.#ended.push(run)
  }

  replace(runs: readonly GuardedRun[]): void {
    const isNothingNew = runs.length === 0 && this.#runs.size === 0
    this.#runs = new Map(runs.map((run) => [run.run, run]))
    if (!isNothingNew) this.#send(true, runs)
  }

  /** Only when this one knows the runs: until then the earlier ones are all that ends them in time. */
  endEarlier(): void {
    this.#endsEarlierAfter = this.#n
    this.#endOthers()
  }

  /** The switch stays while runs do. */
  [Symbol.dispose](): void {
    this.#over = true
    this.#send(false, [])
    clearInterval(this.#timer)
    this.#child?.stdin?.end()
    this.#child?.stdout?.destroy()
    this.#child?.unref()
    for (const { reject } of this.#waiting.splice(0)) reject(noSwitch())
  }

  #start(): void {
    const { program, home, env } = this.#options
    const variables = VARIABLES.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]]))
    let child: ChildProcess
    try {
      child = spawn(program.node, [this.#file, home, this.#title], {
        cwd: '/',
        env: Object.fromEntries(variables),
        detached: true,
        stdio: ['pipe', 'pipe', 'ignore'],
      })
    } catch {
      // No file or no process is left just now.
      this.#failed()
      return
    }
    this.#child = child
    this.#partial = ''
    this.#unanswered = 0
    const gone = (): void => this.#gone(child)
    child.on('error', gone)
    child.on('exit', gone)
    child.stdin?.on('error', gone)
    child.stdout?.on('error', gone)
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      // The last answers of an earlier one say nothing about what this one knows.
      if (this.#child === child) this.#take(text)
    })
    // Also without a run: its answer shows that it works.
    this.#send(true, [...this.#runs.values()])
  }

  #send(all: boolean, runs: readonly GuardedRun[]): void {
    this.#n++
    this.#child?.stdin?.write(encode({ n: this.#n, all, runs, ended: this.#ended.splice(0) }))
  }

  #take(text: string): void {
    const { lines, rest } = linesOf(this.#partial + text)
    this.#partial = rest
    if (lines.length === 0) return
    this.#answered = Math.max(this.#answered, ...lines.map(Number).filter(Number.isInteger))
    this.#unanswered = 0
    this.#failures = 0
    const waiting = this.#waiting
    this.#waiting = waiting.filter(({ n }) => n > this.#answered)
    for (const { n, resolve } of waiting) if (n <= this.#answered) resolve()
    this.#endOthers()
  }

  #endOthers(): void {
    if (this.#endsEarlierAfter === undefined || this.#endsEarlierAfter > this.#answered) return
    const table = processTable()
    try {
      table.renew(0)
    } catch {
      return // The next answer or look tries again.
    }
    this.#endsEarlierAfter = undefined
    for (const pid of table.ids()) {
      if (pid === this.#child?.pid || pid === process.pid || !table.mentions(pid, this.#title)) continue
      try {
        sendSignal(pid, 'SIGTERM')
      } catch {
        // It belongs to another user: no switch of this home.
      }
    }
  }

  #look(): void {
    this.#endOthers()
    if (this.#child === undefined) {
      if (--this.#rest <= 0) this.#start()
    } else if (this.#answered < this.#n && ++this.#unanswered >= PATIENCE) this.#gone(this.#child)
  }

  /** The next look starts another one, and tells it all runs. */
  #gone(child: ChildProcess): void {
    if (this.#over || this.#child !== child) return
    this.#child = undefined
    child.kill('SIGKILL')
    this.#failed()
  }

  #failed(): void {
    this.#rest = Math.min(2 ** this.#failures, LONGEST_REST)
    // A switch that never answered is the same trouble as before.
    if (this.#failures++ === 0) this.#options.gone()
  }
}

function noSwitch(): AppError {
  return new AppError(
    'failed',
    "the dead man's switch does not answer, and without it no agent of a shared queue starts",
    {
      hint: 'fleet starts it again by itself; if that does not help, look for what ends it: fleet log',
    },
  )
}
