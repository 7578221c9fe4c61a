import { actorFrom, openLedger, openSharedQueue } from '../../app.ts'
import { shownState } from '../../domain/fleet/host.ts'
import { AppError, EXIT } from '../../errors.ts'
import type { Home } from '../../platform/files/home.ts'
import { touchWake } from '../../platform/files/wake.ts'
import { pause, sendSignal } from '../../platform/process/daemon.ts'
import { type Holder, isStillAlive, supervisorAlive } from '../../platform/sqlite/supervisor-lock.ts'
import type { Call, Command } from '../command.ts'
import { holderText, runningLine } from '../render/run.ts'
import { launchSupervisor } from './launch-supervisor.ts'
import { RUN_FLAGS, runFlags, runWords } from './run-flags.ts'
import { tellPause, tellRunning } from './tell-running.ts'

const DAEMON_FLAGS = RUN_FLAGS.filter(({ name }) => name !== 'once' && name !== 'quiet')

export const start: Command = {
  name: 'start',
  summary: 'run the supervisor as a daemon',
  usage: '[--coder C] [--model M] [--max N]',
  about: 'Runs the supervisor in the background. It outlives the terminal; fleet log follows what it does.',
  flags: DAEMON_FLAGS,
  async run(call) {
    const { home, print } = call
    noArguments(call, 'start')
    const words = runWords(await runFlags(home, call.flags))
    const running = supervisorAlive(home)
    if (running !== undefined) return tellRunning(call, running, words)
    await tryQueue(home)
    const { holder, ours } = await launchSupervisor(call, words)
    if (!ours) return tellRunning(call, holder, words)
    print(`supervisor started${holderText(holder)}`)
    tellPause(call)
  },
}

export const stop: Command = {
  name: 'stop',
  summary: 'stop the supervisor and its agents gracefully',
  usage: '[--keep|--now]',
  about: `Stops the supervisor: no new claims, agents stopped gracefully, sessions kept, tasks open again, nothing counted.
Returns when it is gone.`,
  flags: [
    { name: 'keep', kind: 'switch', help: 'leave the agents running; the next supervisor adopts them' },
    { name: 'now', kind: 'switch', help: 'kill the agents without grace' },
  ],
  async run(call) {
    noArguments(call, 'stop', 'fleet kill <id> ends one task, fleet pause <id> interrupts it; nothing was stopped')
    if (call.flags.on('keep') && call.flags.on('now')) {
      throw new AppError('usage', '--keep leaves the agents running and --now kills them: give one of the two', {
        hint: 'nothing was stopped',
      })
    }
    const holder = need(call.home)
    await end(call, holder, call.flags.on('keep') ? 'keep' : call.flags.on('now') ? 'now' : 'graceful')
    call.print(call.flags.on('keep') ? 'supervisor stopped; its agents go on' : 'supervisor stopped')
  },
}

export const restart: Command = {
  name: 'restart',
  summary: 'a new supervisor takes over; agents go on',
  usage: '[--coder C] [--model M] [--max N]',
  about: `Ends the supervisor and starts a new one in the background, which adopts the running agents. Without flags it gets
those of the old one, but not --once: the new one runs until it is stopped.`,
  flags: DAEMON_FLAGS,
  async run(call) {
    const { home, print, flags } = call
    noArguments(call, 'restart')
    const given = runWords(await runFlags(home, flags))
    const holder = supervisorAlive(home)
    const words = given.length > 0 ? given : runWords(holder?.flags ?? {})
    await tryQueue(home)
    if (holder !== undefined) await end(call, holder, 'keep')
    const next = await launchSupervisor(call, words)
    if (!next.ours) return tellRunning(call, next.holder, given)
    print(`supervisor ${holder === undefined ? 'started' : 'restarted'}${holderText(next.holder)}`)
    tellPause(call)
  },
}

export const drain: Command = {
  name: 'drain',
  summary: 'no new claims; running agents finish, then the supervisor ends',
  usage: '',
  about: 'No new claims; running agents finish, then the supervisor ends. Waits for it; Ctrl-C leaves it draining.',
  flags: [],
  async run({ home, env, args, print, warn }) {
    noArguments({ args }, 'drain')
    const holder = need(home)
    using ledger = openLedger(home)
    const { id } = ledger.request('drain', '', actorFrom(env, undefined), Date.now())
    touchWake(home.wake)
    let told = -1
    while (isStillAlive(home, holder)) {
      const asked = ledger.requestById(id)
      if (asked?.ending === 'withdrawn') {
        throw new AppError('failed', `the supervisor does not drain (${asked.answer})`, {
          hint: 'ask again: fleet run drain',
        })
      }
      const left = ledger.openRuns().length
      if (left !== told) warn(`draining: ${left} running`)
      told = left
      await pause(200)
    }
    print('supervisor ended')
  },
}

export const status: Command = {
  name: 'status',
  summary: 'whether a supervisor is running, and what it does',
  usage: '[--json]',
  about:
    'Whether a supervisor is running, draining or stopping, since when, and how many agents it has. Exit 1 when it is stopped.',
  flags: [{ name: 'json', kind: 'switch', help: 'one JSON document' }],
  async run({ home, flags, args, print, answer }) {
    noArguments({ args }, 'status')
    home.require()
    const holder = supervisorAlive(home)
    using ledger = openLedger(home, { readOnly: true })
    const running = ledger.openRuns().length
    const paused = ledger.paused()
    if (flags.on('json')) {
      answer({
        running: holder !== undefined,
        pid: holder?.proc?.pid ?? null,
        since: holder?.startedAt == null ? null : new Date(holder.startedAt).toISOString(),
        version: holder?.version ?? null,
        state: holder?.mode == null ? null : shownState(holder.mode, { paused: paused !== undefined }),
        agents: running,
        paused: paused === undefined ? null : { by: paused.by, at: new Date(paused.at).toISOString() },
      })
    } else if (holder === undefined) {
      print(
        `stopped${running === 0 ? '' : `; ${running === 1 ? '1 run is' : `${running} runs are`} left to the next supervisor`}`,
      )
    } else {
      print(runningLine(holder, { agents: running, now: Date.now() }))
    }
    if (paused !== undefined && !flags.on('json')) print(`claiming is paused by ${paused.by} (fleet resume)`)
    return holder === undefined ? EXIT.failed : 0
  },
}

function noArguments({ args }: Pick<Call, 'args'>, name: string, hint?: string): void {
  if (args.length === 0) return
  throw new AppError('usage', `fleet run ${name} takes no arguments, got ${JSON.stringify(args[0])}`, {
    ...(hint === undefined ? {} : { hint }),
  })
}

/** One that runs outlives an outage of the server; a new one could not begin in it. */
async function tryQueue(home: Home): Promise<void> {
  await using _queue = await openSharedQueue(home)
}

function need(home: Home): Holder {
  home.require()
  const holder = supervisorAlive(home)
  if (holder !== undefined) return holder
  throw new AppError('not-running', `no supervisor is running on ${home.path}`, { hint: 'fleet run start starts one' })
}

async function end({ home, warn }: Call, holder: Holder, how: 'graceful' | 'now' | 'keep'): Promise<void> {
  const { proc } = holder
  if (proc === null) {
    throw new AppError('failed', 'the supervisor runs where this process cannot see it', {
      hint: 'end it where it was started (another container or pid namespace)',
    })
  }
  sendSignal(proc.pid, how === 'keep' ? 'SIGHUP' : 'SIGTERM')
  const begun = Date.now()
  let told = false
  for (let again = how === 'now'; isStillAlive(home, holder); ) {
    if (again && Date.now() - begun > 100) {
      sendSignal(proc.pid, 'SIGTERM')
      again = false
    }
    if (!told && Date.now() - begun > 1000) {
      warn('waiting for the agents to end')
      told = true
    }
    await pause(20)
  }
}
