import { ownBdEnvironment } from '../../domain/queue/bd-environment.ts'
import { type BdFeatures, FLEET_ITSELF, isFleetItself, judgeBd } from '../../domain/queue/bd-version.ts'
import { isObject } from '../../domain/task/settings.ts'
import { AppError } from '../../errors.ts'
import { entryAt } from '../../platform/files/folder.ts'
import { exec, outputText, whyNotEnded } from '../../platform/process/exec.ts'
import { isRefusal, isTransient, killedBy, payloadOf, reasonOf } from './answer.ts'

export interface BdOptions {
  /** The home's `.beads`, absolute. */
  readonly beads: string
  readonly env: NodeJS.ProcessEnv
  readonly timeouts?: Timeouts
  /** Caches the version of the bd that was found, so that the next process need not ask. */
  readonly memory?: { get(): string; set(text: string): void }
}

interface Timeouts {
  readonly readMs: number
  readonly writeMs: number
  /** Between SIGTERM and SIGKILL. */
  readonly graceMs: number
}

const TIMEOUTS: Timeouts = { readMs: 30_000, writeMs: 60_000, graceMs: 10_000 }

export interface BdCommand {
  readonly argv: readonly string[]
  /** The actor. Always passed, because bd's own default is the user's git configuration. */
  readonly by: string
  readonly input?: string
}

export interface BdAnswer {
  readonly ok: boolean
  readonly out: string
  /** bd's error message; '' on success. */
  readonly reason: string
  /** bd declined because of the task's state, not because of a technical failure. */
  readonly refused: boolean
}

/** A usable bd. */
interface Program {
  readonly file: string
  readonly version: string
  readonly features: BdFeatures
}

/** Long enough for another writer to finish. */
const BACKOFF_MS = [500, 1500, 4000]

/** The only code that calls bd: on the home's database, one call at a time, each with a timeout. */
export class Bd {
  readonly #options: BdOptions
  readonly #timeouts: Timeouts
  #program: Program | undefined
  #askedAt = 0
  #last: Promise<unknown> = Promise.resolve()

  constructor(options: BdOptions) {
    this.#options = options
    this.#timeouts = options.timeouts ?? TIMEOUTS
  }

  async features(): Promise<BdFeatures> {
    return (await this.#found()).features
  }

  /** The program, for a caller that runs bd itself on this database. */
  async file(): Promise<string> {
    requireDatabase(this.#options.beads)
    return (await this.#found()).file
  }

  async read(argv: readonly string[]): Promise<string> {
    return mustBeOk(argv, await this.call({ argv, by: 'fleet' }, this.#timeouts.readMs)).out
  }

  async write(command: BdCommand): Promise<BdAnswer> {
    return mustBeOk(command.argv, await this.call(command))
  }

  /** Returns bd's failure as a value. Throws only if bd cannot be started or does not answer in time. */
  call(command: BdCommand, timeoutMs = this.#timeouts.writeMs): Promise<BdAnswer> {
    const turn = this.#last.then(() => this.#retrying(command, timeoutMs))
    this.#last = turn.catch(() => {})
    return turn
  }

  async #retrying(command: BdCommand, timeoutMs: number): Promise<BdAnswer> {
    const { file } = await this.#found()
    for (let attempt = 0; ; attempt++) {
      const said = await this.#once(file, command, timeoutMs)
      const pause = BACKOFF_MS[attempt]
      if (said.ok || pause === undefined || !isTransient(said.reason)) return said
      await new Promise((resolve) => setTimeout(resolve, pause * (0.5 + Math.random())))
    }
  }

  async #once(file: string, { argv, by, input }: BdCommand, timeoutMs: number): Promise<BdAnswer> {
    const { beads, env } = this.#options
    requireDatabase(beads)
    const [verb = ''] = argv
    const run = await exec(file, {
      argv: ['--json', `--actor=${by}`, ...argv],
      env: ownBdEnvironment(env, beads),
      timeoutMs,
      graceMs: this.#timeouts.graceMs,
      input: input ?? '',
    })
    if (run.kind === 'timed-out') throw queueError(`bd ${verb} did not end within ${run.afterMs / 1000} s`)
    if (run.kind !== 'ended') throw queueError(`bd ${whyNotEnded(run)}`)
    const ok = run.code === 0
    const said = { ...run, out: run.out.toString('utf8') }
    const reason = run.signal === undefined ? reasonOf(said) : killedBy(run.signal, said.err)
    return { ok, out: said.out, reason: ok ? '' : reason, refused: !ok && isRefusal(said) }
  }

  async #found(): Promise<Program> {
    if (this.#program !== undefined && isRecent(this.#askedAt)) return this.#program
    try {
      this.#program = await probeBd(this.#options)
    } catch (error) {
      // If bd has disappeared since, the next call reports it. A verdict must not fail because of the version check.
      if (this.#program === undefined) throw error
    }
    this.#askedAt = Date.now()
    return this.#program
  }
}

/** Limited, because a version manager's shim (mise, asdf) stays the same file when the bd behind it changes. */
const REMEMBERED_MS = 3_600_000

function isRecent(moment: number): boolean {
  return Math.abs(Date.now() - moment) < REMEMBERED_MS
}

/** The first bd on PATH that is not fleet itself. Throws if there is none, or if its version is not supported. */
export async function probeBd({ beads, env, memory }: BdOptions): Promise<Program> {
  const { findPrograms } = await import('../../platform/process/program.ts')
  for (const file of findPrograms('bd', env)) {
    const { size = 0, changedAt = 0 } = entryAt(file) ?? {}
    const identity = `${file} ${size} ${changedAt} `
    const known = remembered(memory?.get() ?? '', identity)
    const said = known ?? (await versionOf(file, { beads, env }))
    if (isFleetItself(said)) continue
    const verdict = judgeBd(said)
    if (verdict === undefined) throw queueError(`${file} does not say its version`)
    if (verdict.kind === 'refused') {
      throw new AppError('queue', `bd ${verdict.version} (${file}) ${verdict.why}`, {
        hint: 'install another bd, 1.3.0 for example',
      })
    }
    if (known === undefined) memory?.set(`${identity}${verdict.version} ${Date.now()}`)
    return { file, version: verdict.version, features: verdict.features }
  }
  throw new AppError('queue', 'this home keeps its tasks in beads, but there is no bd on PATH', {
    hint: 'install bd (npm install -g @beads/bd), or put it on PATH',
  })
}

function remembered(memory: string, identity: string): string | undefined {
  if (!memory.startsWith(identity)) return undefined
  const [version, askedAt] = memory.slice(identity.length).split(' ')
  return isRecent(Number(askedAt)) ? version : undefined
}

/** bd's version, or its whole output if that contains none. */
async function versionOf(file: string, { beads, env }: BdOptions): Promise<string> {
  const run = await exec(file, {
    argv: ['version', '--json'],
    env: ownBdEnvironment(env, beads),
    timeoutMs: TIMEOUTS.readMs,
    graceMs: TIMEOUTS.graceMs,
    input: '',
  })
  if (run.kind !== 'ended') return ''
  if (isFleetItself(outputText(run))) return FLEET_ITSELF
  const text = run.code === 0 ? run.out.toString('utf8') : ''
  const payload = payloadOf(text)
  return isObject(payload) ? String(payload['version']) : text
}

function mustBeOk(argv: readonly string[], said: BdAnswer): BdAnswer {
  if (said.ok) return said
  throw queueError(`bd ${argv[0]} failed: ${said.reason}`)
}

/** Without this file bd ignores BEADS_DIR and searches for a database above its working directory. */
function requireDatabase(beads: string): void {
  if (entryAt(`${beads}/metadata.json`) !== undefined) return
  throw new AppError('queue', `${beads} is not a beads database`, {
    hint: 'restore a copy of it, or run fleet queue migrate --to local to continue with what fleet last saw of it',
  })
}

export function queueError(message: string): AppError {
  return new AppError('queue', message, { hint: 'fleet doctor checks bd and its database' })
}
