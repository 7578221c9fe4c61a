import { openHomeStore } from '../../app.ts'
import type { Log } from '../../domain/fleet/log-event.ts'
import { pluralize } from '../../domain/text/pluralize.ts'
import { AppError, EXIT } from '../../errors.ts'
import { leavingSoon } from '../../platform/process/leaving.ts'
import { onSignals } from '../../platform/process/signals.ts'
import { acquireSupervisorLock } from '../../platform/sqlite/supervisor-lock.ts'
import type { Supervision } from '../../supervise.ts'
import { version } from '../../version.ts'
import { leftUndone } from '../../views/left-undone.ts'
import type { Command } from '../command.ts'
import { announceRetries } from '../follow/announce-retries.ts'
import { foregroundLine, timed } from '../render/log-event.ts'
import { onceLines } from '../render/once.ts'
import { holderText } from '../render/run.ts'
import { lossError } from '../render/store-loss.ts'
import { drain, restart, start, status, stop } from './run-control.ts'
import { RUN_FLAGS, runFlags } from './run-flags.ts'
import { install, uninstall } from './run-service.ts'

export const run: Command = {
  name: 'run',
  summary: 'the supervisor: claims ready tasks and runs agents on them',
  usage: '[--coder C] [--model M] [--max N] [--once]',
  about: `The supervisor, in the foreground: claims ready tasks and runs each through its coder in its own directory.

  Ctrl-C, SIGTERM   stop agents gracefully: sessions kept, tasks open again, nothing counted; twice: at once
  SIGHUP, a crash   agents keep running; the next supervisor adopts them

One supervisor per home; fleet run start makes it a daemon.`,
  examples: ['fleet run', 'fleet run --once --max 10', 'fleet run start', 'fleet run status'],
  flags: RUN_FLAGS,
  subcommands: [start, stop, status, restart, drain, install, uninstall],
  async run({ home, env, flags, args, print, warn }) {
    if (args.length > 0) {
      throw new AppError('usage', `fleet run ${args[0]}: there is no such subcommand`, {
        hint: 'start, stop, status, restart, drain, install or uninstall; fleet run alone runs in the foreground',
      })
    }
    const chosen = await runFlags(home, flags)
    home.require()
    const quiet = flags.on('quiet')
    const asked = new Signalled()
    const ending = new AbortController()
    // Before the lock makes this supervisor visible: an early stop must reach the agents it is about to adopt.
    using _signals = onSignals({
      stop: (signal, times) => {
        ending.abort()
        asked.of((supervisor) => {
          if (times === 1 && !quiet)
            warn(`${signal}: stopping ${pluralize(supervisor.running, 'agent')} gracefully; once more stops at once`)
          if (times > 3) supervisor.keep({ force: true })
          else supervisor.stop({ by: signal, atOnce: times > 1 })
        })
      },
      keep: () => {
        ending.abort()
        asked.of((supervisor) => supervisor.keep())
      },
    })
    const acquired = acquireSupervisorLock(home, { version, now: Date.now(), flags: chosen })
    if (acquired.kind === 'taken') {
      throw new AppError('conflict', `a supervisor is already running on ${home.path}${holderText(acquired.holder)}`, {
        hint: 'fleet run status shows it; fleet run stop ends it',
      })
    }
    using _leaving = leavingSoon()
    using lock = acquired.lock
    const since = Date.now()
    const { supervise } = await import('../../supervise.ts')
    const say = (line: string): void => print(timed(line, Date.now()))
    const tell: Log = (event, ...fields) => {
      const line = foregroundLine(event, ...fields)
      if (line !== undefined && !quiet) say(line)
    }
    await using supervision = await supervise({
      home,
      env,
      flags: chosen,
      since,
      became: lock.tell,
      lacks: lock.lacks,
      signal: ending.signal,
      program: { node: process.execPath, fleet: process.argv[1] ?? '', version },
      tell,
    })
    const { supervisor } = supervision
    // The queue may have kept it waiting for minutes, and the ledger knows of it only since then.
    if (lock.isLost()) throw lossError({ what: 'lock', how: 'replaced', path: home.supervisorLock }, home)
    const open = () => openHomeStore(home, { readOnly: true })
    await using _retries =
      flags.on('once') && !quiet
        ? announceRetries({ open, print: say, idle: () => supervisor.running === 0 })
        : undefined
    await asked.start(supervisor)
    const { asked: wasAsked, lost, ...did } = await supervisor.finished
    if (lost !== undefined) throw lossError(lost, home)
    if (!flags.on('once')) return 0
    // Best effort: the supervisor has reported a problem with the store.
    const left = wasAsked ? undefined : await leftUndone(home).catch(() => undefined)
    if (left !== undefined && !quiet) for (const line of onceLines(did, left)) print(line)
    return did.blocked > 0 || (left !== undefined && left.tasks.length > 0) ? EXIT.failed : 0
  },
}

type Supervisor = Supervision['supervisor']

/** Passes signals on to the supervisor; those that come before it exists are kept until it starts. */
class Signalled {
  readonly #early: ((supervisor: Supervisor) => void)[] = []
  #supervisor: Supervisor | undefined

  of(what: (supervisor: Supervisor) => void): void {
    if (this.#supervisor === undefined) this.#early.push(what)
    else what(this.#supervisor)
  }

  async start(supervisor: Supervisor): Promise<void> {
    for (const what of this.#early) what(supervisor)
    this.#supervisor = supervisor
    await supervisor.start()
  }
}
