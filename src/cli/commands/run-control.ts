import { restartSupervisor, type Started, startSupervisor } from '../../actions/start-supervisor.ts'
import { drainSupervisor, requireSupervisor, stopSupervisor } from '../../actions/stop-supervisor.ts'
import type { RunFlags } from '../../domain/fleet/run-flags.ts'
import { AppError, EXIT } from '../../errors.ts'
import { settingsInForce } from '../../views/configuration.ts'
import { supervisorJson } from '../../views/json/supervisor.ts'
import { supervisorStatus } from '../../views/supervisor.ts'
import { actionContext } from '../action-context.ts'
import type { Call, Command } from '../command.ts'
import { thisProgram } from '../program.ts'
import { statusLines } from '../render/run.ts'
import { startedLines } from '../render/started.ts'
import { RUN_FLAGS, runFlags } from './run-flags.ts'

const DAEMON_FLAGS = RUN_FLAGS.filter(({ name }) => name !== 'once' && name !== 'quiet')

export const start: Command = {
  name: 'start',
  summary: 'run the supervisor as a daemon',
  usage: '[--coder C] [--model M] [--max N]',
  about: 'Runs the supervisor in the background. It outlives the terminal; fleet log follows what it does.',
  flags: DAEMON_FLAGS,
  async run(call) {
    noArguments(call, 'start')
    const flags = await runFlags(call.home, call.flags)
    printStarted(call, flags, await startSupervisor(starting(call, flags)))
    await warnOfNoEffect(call)
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
    const holder = requireSupervisor(call.home)
    const how = call.flags.on('keep') ? 'keep' : call.flags.on('now') ? 'now' : 'graceful'
    await stopSupervisor({ ...actionContext(call), holder, how })
    call.print(how === 'keep' ? 'supervisor stopped; its agents keep running' : 'supervisor stopped')
  },
}

export const restart: Command = {
  name: 'restart',
  summary: 'a new supervisor takes over; agents keep running',
  usage: '[--coder C] [--model M] [--max N]',
  about: `Ends the supervisor and starts a new one in the background, which adopts the running agents. Without flags it gets
those of the old one, but not --once: the new one runs until it is stopped. If none is running, it starts one.`,
  flags: DAEMON_FLAGS,
  async run(call) {
    noArguments(call, 'restart')
    const flags = await runFlags(call.home, call.flags)
    printStarted(call, flags, await restartSupervisor(starting(call, flags)))
    await warnOfNoEffect(call)
  },
}

/** The supervisor says it in its log, which the person who starts a daemon does not see. */
async function warnOfNoEffect({ home, warn }: Call): Promise<void> {
  const { warning } = await settingsInForce(home)
  if (warning !== undefined) warn(warning)
}

export const drain: Command = {
  name: 'drain',
  summary: 'no new claims; running agents finish, then the supervisor ends',
  usage: '',
  about:
    'No new claims; running agents finish, then the supervisor ends. No landing begins: what has passed lands with the next one. Waits for it; Ctrl-C leaves it draining.',
  flags: [],
  async run(call) {
    noArguments(call, 'drain')
    await drainSupervisor(actionContext(call))
    call.print('supervisor ended')
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
    const status = supervisorStatus(home)
    if (flags.on('json')) answer(supervisorJson(status))
    else for (const line of statusLines(status, Date.now())) print(line)
    return status.holder === undefined ? EXIT.failed : 0
  },
}

function noArguments({ args }: Pick<Call, 'args'>, name: string, hint?: string): void {
  if (args.length === 0) return
  throw new AppError('usage', `fleet run ${name} takes no arguments, got ${JSON.stringify(args[0])}`, {
    ...(hint === undefined ? {} : { hint }),
  })
}

function starting({ home, env, warn }: Call, flags: RunFlags) {
  return { ...actionContext({ home, env, warn }), env, program: thisProgram(), flags }
}

function printStarted({ print }: Call, flags: RunFlags, started: Started): void {
  for (const line of startedLines(started, { flags, now: Date.now() })) print(line)
}
