import { SCRIPTED } from '../../actions/demo/agent.ts'
import { answerForPerson, type GivenAnswer } from '../../actions/demo/answers.ts'
import { createTasks, type DemoIds, type DemoPlace, demoCoder, makePlace } from '../../actions/demo/demo-home.ts'
import { type Findings, findingsAt } from '../../actions/demo/findings.ts'
import { type DemoRun, startDemo } from '../../actions/demo/run.ts'
import { DEMO_TASKS } from '../../actions/demo/tasks.ts'
import { coderNames } from '../../coders/registry.ts'
import { AppError, EXIT } from '../../errors.ts'
import { discardFolder, temporaryFolder } from '../../platform/files/temporary-folder.ts'
import { onSignals } from '../../platform/process/signals.ts'
import { wait } from '../../platform/runtime/wait.ts'
import { terminal } from '../../platform/terminal/terminal.ts'
import { snapshot } from '../../views/snapshot.ts'
import type { Call, Command } from '../command.ts'
import { thisProgram } from '../program.ts'
import { evidenceLines, filesLine, momentsOf, receiptExcerpt, togetherLine } from '../render/demo.ts'
import { frame, painted } from '../render/painted.ts'
import { tasksPicture } from '../render/tasks.ts'
import { AT_TOP, windowLines } from '../render/window.ts'

const LOOK_MS = 150

export const demo: Command = {
  name: 'demo',
  summary: 'agents at work on dependent tasks, in a throw-away project',
  usage: '[--coder C] [--keep]',
  about: `Makes a project and a home of its own in a temporary folder, creates ${DEMO_TASKS.length} tasks that wait for each other, runs a
supervisor on them and shows what it saw: real processes, side by side, a claim that is refused and tried again, a
question and its answer. Your own home and projects are not touched. The agent is a script that poses as one: it needs no
account and about ten seconds. --coder names another: a coder with a model, or shell for plain scripts.`,
  examples: ['fleet demo', 'fleet demo --keep', 'fleet demo --coder claude'],
  flags: [
    {
      name: 'coder',
      kind: 'text',
      value: 'name',
      help: `who does the tasks: ${[SCRIPTED, ...coderNames()].join(', ')}`,
      default: SCRIPTED,
    },
    { name: 'keep', kind: 'switch', help: 'leave the home and the project where they are, and say where' },
  ],
  async run(call) {
    const { flags, args, print, warn } = call
    if (args.length > 0) throw new AppError('usage', `fleet demo takes no arguments, got ${JSON.stringify(args[0])}`)
    const coder = await demoCoder(call, flags.text('coder') ?? SCRIPTED)
    if (coder.kind === 'agent') {
      print(`The agent is a script of this demo. It asks no model and costs nothing: it prints what Claude Code prints, its
tokens are made up, one task claims to be done too early, and one asks a question, which the demo answers for you.`)
    }
    if (coder.kind === 'model') {
      print(
        `${coder.name} needs your account, and you pay for its tokens: ${DEMO_TASKS.length} small tasks. Ctrl-C ends it.`,
      )
    }
    const folder = temporaryFolder('fleet-demo-')
    let keep = flags.on('keep')
    try {
      const place = await makePlace(folder, coder, call.env)
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

/** Shows a supervisor at work until it ends. True: a signal stopped it. */
async function runThem(call: Call, place: DemoPlace): Promise<boolean> {
  let run: DemoRun | undefined
  let stopped = false
  const end = (): void => {
    stopped = true
    run?.stop()
  }
  using _signals = onSignals({ stop: end, keep: end })
  const printed = new Set<string>()
  // A supervisor that only a question is left for ends; it is started again after the answer.
  do {
    run = startDemo(place, { env: call.env, program: thisProgram() })
    await showRuns(call, place, { run, printed })
    if (!stopped) run.requireBegun()
  } while (!stopped && (await answerQuestions(call, place, 0)))
  return stopped
}

/** How long a question stays, so that it can be seen. */
const SEEN_MS = 1500

/** True: there was a question. Without a terminal each question is printed with its answer. */
async function answerQuestions(call: Call, place: DemoPlace, afterMs: number): Promise<boolean> {
  const given = await answerForPerson(place, afterMs)
  if (terminal(call.env) === undefined) for (const each of given) call.print(answerLine(each))
  return given.length > 0
}

function answerLine({ task, question, options, answer }: GivenAnswer): string {
  const numbered = options.map((option, i) => `${i + 1}) ${option}`).join(' | ')
  return `        ? ${task}  ${question} [${numbered}]  answered: ${answer}`
}

/** On a terminal the picture of `fleet tasks`, redrawn; otherwise a line for each start and end. */
async function showRuns(
  call: Call,
  place: DemoPlace,
  { run, printed }: { run: DemoRun; printed: Set<string> },
): Promise<void> {
  for (let over = false; !over; over || (await wait(LOOK_MS))) {
    over = run.hasEnded()
    if (!over && run.isAlive()) await answerQuestions(call, place, SEEN_MS)
    const screen = terminal(call.env)
    if (screen === undefined) {
      for (const { line } of momentsOf(run.runs())) {
        if (!printed.has(line)) call.print(line)
        printed.add(line)
      }
    } else if (run.isAlive()) {
      const seen = await snapshot(place.home, { limit: 50, all: true })
      const picture = tasksPicture(seen, screen.columns)
      call.show(frame(painted(windowLines(picture, AT_TOP, { ...screen, now: seen.now, keys: false }), screen)))
    }
  }
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
