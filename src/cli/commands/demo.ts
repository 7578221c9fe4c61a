import { join } from 'node:path'
import { openLedger } from '../../app.ts'
import { coderFor, coderNames, SCRIPT_CODER } from '../../coders/registry.ts'
import { loadConfig } from '../../config/load.ts'
import type { Run } from '../../domain/run/run.ts'
import { AppError, EXIT } from '../../errors.ts'
import { discardFolder, temporaryFolder } from '../../platform/files/temporary-folder.ts'
import { type Daemon, sendSignal, startDaemon } from '../../platform/process/daemon.ts'
import { findProgram } from '../../platform/process/program.ts'
import { onSignals } from '../../platform/process/signals.ts'
import { wait } from '../../platform/runtime/wait.ts'
import { supervisorAlive } from '../../platform/sqlite/supervisor-lock.ts'
import { terminal } from '../../platform/terminal/terminal.ts'
import type { Call, Command } from '../command.ts'
import { type Findings, findingsAt } from '../demo/findings.ts'
import { createTasks, type DemoCoder, type DemoIds, type DemoPlace, demoEnvironment, makePlace } from '../demo/place.ts'
import { DEMO_TASKS } from '../demo/tasks.ts'
import { evidenceLines, filesLine, momentsOf, receiptExcerpt, togetherLine } from '../render/demo.ts'
import { frame, painted } from '../render/painted.ts'
import { tasksLines } from '../render/tasks.ts'
import { clipped, look } from './tasks.ts'

const LOOK_MS = 150
const AGENTS = 3

export const demo: Command = {
  name: 'demo',
  summary: 'agents at work on dependent tasks, in a throw-away project',
  usage: '[--coder claude] [--keep]',
  about: `Makes a project and a home of its own in a temporary folder, creates ${DEMO_TASKS.length} tasks that wait for each other, runs a
supervisor on them and shows what it saw: real processes, side by side. Your own home and projects are not touched.
It needs no account and a few seconds, unless --coder names a coder with a model.`,
  examples: ['fleet demo', 'fleet demo --keep', 'fleet demo --coder claude'],
  flags: [
    {
      name: 'coder',
      kind: 'text',
      value: 'name',
      help: `who does the tasks: ${coderNames().join(', ')}`,
      default: SCRIPT_CODER,
    },
    { name: 'keep', kind: 'switch', help: 'leave the home and the project where they are, and say where' },
  ],
  async run(call) {
    const { flags, args, print, warn } = call
    if (args.length > 0) throw new AppError('usage', `fleet demo takes no arguments, got ${JSON.stringify(args[0])}`)
    const coder = await coderOf(call)
    const folder = temporaryFolder('fleet-demo-')
    let keep = flags.on('keep')
    try {
      const place = await makePlace(folder, coder, demoEnvironment(call.env))
      const ids = await createTasks(place, coder)
      print(
        `${DEMO_TASKS.length} tasks for ${coder.name} in ${place.project}: three, then three more, then a last one.`,
      )
      const stopped = await runThem(call, place)
      const findings = await findingsAt(place, ids)
      const good = findings.tasks.every(({ status }) => status === 'closed')
      tell(call, findings)
      keep ||= !good && !stopped
      if (keep) print(keptText(place, ids))
      else print('\nIt was all in a throw-away folder, which is gone now; --keep leaves it for you to look around.')
      if (stopped) warn('stopped')
      return good ? 0 : EXIT.failed
    } finally {
      if (!keep) discardFolder(folder)
    }
  },
}

async function coderOf({ home, env, flags, print }: Call): Promise<DemoCoder> {
  const name = flags.text('coder') ?? SCRIPT_CODER
  const coder = await coderFor(name)
  if (coder === undefined) {
    throw new AppError('usage', `fleet demo cannot run ${JSON.stringify(name)}, only ${coderNames().join(', ')}`)
  }
  if (coder.traits.evidence === 'exit') return { name, takesScript: true, config: undefined }
  if (findProgram(coder.binary, env) === undefined) {
    throw new AppError('failed', `${coder.binary} is not on PATH`, {
      hint: 'install it and log in; fleet demo alone needs neither',
    })
  }
  await loadConfig(home.config) // what is wrong with it is told before anything is made
  print(
    `${name} needs your account, and its tokens are yours to pay: ${DEMO_TASKS.length} small tasks. Ctrl-C ends it.`,
  )
  return { name, takesScript: false, config: home.config }
}

/** A supervisor of its own, as anybody would start it; here it is only watched. True: somebody wanted it to end. */
async function runThem(call: Call, { home }: DemoPlace): Promise<boolean> {
  const daemon = startDaemon([process.execPath, process.argv[1] ?? '', 'run', '--once', `--max=${AGENTS}`, '--quiet'], {
    output: join(home.logging, 'supervisor.out'),
    env: { ...demoEnvironment(call.env), FLEET_HOME: home.path },
  })
  if (daemon === undefined) throw new AppError('failed', 'the supervisor could not be started')
  let stopped = false
  const end = (): void => {
    stopped = true
    if (daemon.exited() === undefined) sendSignal(daemon.pid, 'SIGTERM')
  }
  using _signals = onSignals({ stop: end, keep: end })
  await showRuns(call, home, daemon)
  return stopped
}

/** On a terminal what `fleet tasks` shows, again and again; otherwise a line for each start and end. */
async function showRuns(call: Call, home: DemoPlace['home'], daemon: Daemon): Promise<void> {
  const told = new Set<string>()
  for (let over = false; !over; over || (await wait(LOOK_MS))) {
    over = daemon.exited() !== undefined
    const screen = terminal(call.env)
    if (screen === undefined) {
      for (const { line } of momentsOf(runsSoFar(home))) {
        if (!told.has(line)) call.print(line)
        told.add(line)
      }
    } else if (supervisorAlive(home) !== undefined) {
      const snapshot = await look(home, { limit: 50, all: true })
      call.show(frame(painted(clipped(tasksLines(snapshot, screen.columns), screen), screen)))
    }
  }
}

function runsSoFar(home: DemoPlace['home']): readonly Run[] {
  using ledger = openLedger(home, { readOnly: true })
  return [...ledger.openRuns(), ...ledger.recentlyEnded(50)]
}

function tell(call: Call, findings: Findings): void {
  const screen = terminal(call.env)
  const last = findings.tasks.at(-1)
  call.print('\nWhat the supervisor saw of each task:\n')
  call.show(painted(evidenceLines(findings, screen?.columns ?? 150), screen ?? { colour: false }))
  call.print(`\n${togetherLine(findings)}`)
  call.print(`\nFiles in the project: ${filesLine(findings)}`)
  if (last !== undefined) call.print(`\nFrom the receipt of ${last.id} (${last.task.title}):\n${receiptExcerpt(last)}`)
  if (findings.report !== '')
    call.print(`\nREPORT.md:\n${findings.report.split('\n').slice(0, 20).join('\n').trimEnd()}`)
}

function keptText({ home, project }: DemoPlace, ids: DemoIds): string {
  const fleet = `FLEET_HOME=${home.path} fleet`
  return `
Kept: the project ${project}
      the home    ${home.path}
Look around: ${fleet} tasks --all
             ${fleet} task ${ids.get('report')} receipt
             ${fleet} log`
}
