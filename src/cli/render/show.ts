import type { Note } from '../../domain/agent/note.ts'
import { settingsHint } from '../../domain/agent/refused-edit.ts'
import type { Chosen } from '../../domain/fleet/assignment.ts'
import type { Question, Run } from '../../domain/run/run.ts'
import { servedWarning } from '../../domain/run/served-model.ts'
import { bounded } from '../../domain/text/bounded.ts'
import { elapsed, moment } from '../../domain/text/moment.ts'
import { plain, plainLine } from '../../domain/text/plain.ts'
import type { TaskView } from '../../views/task.ts'
import { whyNotRunning } from '../../views/why-not-running.ts'
import { cost, tokens, UNKNOWN } from './figures.ts'

export function shownLines(shown: TaskView): string[] {
  const { task, cwd, assignment, configurationProblem, command, on, question, unawaited, notes, now } = shown
  return [
    `id:           ${task.id}`,
    `title:        ${plainLine(task.title)}`,
    `status:       ${task.status}`,
    `cwd:          ${tagged(cwd, 'a folder of its own')}`,
    `coder:        ${tagged(assignment.coder, UNREADABLE)}`,
    `model:        ${tagged(assignment.model, configurationProblem === undefined ? "the coder's own" : UNREADABLE)}`,
    ...(on === undefined ? [] : [`on:           ${plainLine(on)}`]),
    ...(command === undefined ? [] : commandLines(command)),
    standing(shown),
    ...(question === undefined ? [] : questionLines(question)),
    ...unawaited.map((each) => unawaitedLine(each, now)),
    ...refusedEditLines(shown),
    ...attemptLines(shown),
    ...(notes.length === 0 ? [] : ['', 'notes:', ...notes.map((note) => noteLine(note, now))]),
    '',
    ...(task.description === '' ? ['(no description)'] : plain(task.description.trimEnd()).split('\n')),
  ]
}

/** The value of a default while the configuration cannot be read. */
const UNREADABLE = 'as runtime.toml says, which is wrong'

function commandLines(command: string): string[] {
  const lines = plain(command.trimEnd()).split('\n')
  return lines.map((line, i) => `${(i === 0 ? 'command:' : '').padEnd(14)}${line}`.trimEnd())
}

function standing({ running, waiting, now }: TaskView): string {
  if (running !== undefined) return `running:      ${runningSince(running, now)}`
  if (waiting.kind === 'elsewhere')
    return `running:      on ${plainLine(waiting.machine)}, claimed as ${plainLine(waiting.by)}`
  if (waiting.kind !== 'closed') return `not running:  ${whyNotRunning(waiting, now)}`
  return `closed:       ${waiting.at === '' ? UNKNOWN : moment(Date.parse(waiting.at), now)}${waiting.reason === '' ? '' : `, ${plainLine(waiting.reason)}`}`
}

/** `since 14:02:11, attempt 2, pid 4711` */
export function runningSince(run: Run, now: number): string {
  const since = `since ${moment(run.startedAt, now)}, attempt ${run.attempt}`
  if (run.phase === 'checking') return `${since}, checking: its agent has ended`
  const pid = run.proc === null ? 'not started yet' : `pid ${run.proc.pid}`
  return `${since}, ${run.phase === 'running' ? '' : `${run.phase}, `}${pid}`
}

function questionLines({ text, options, suggestion, task }: Question): string[] {
  return [
    `question:     ${plainLine(text)}`,
    ...(options.length === 0 ? [] : [`options:      ${options.map(plainLine).join(' | ')}`]),
    ...(suggestion === null ? [] : [`suggestion:   ${plainLine(suggestion)}`]),
    `              fleet answer ${task} "..."`,
  ]
}

function unawaitedLine({ text, askedAt }: Question, now: number): string {
  return `asked:        ${plainLine(text)} (at ${moment(askedAt, now)}, not waited for)`
}

function refusedEditLines({ task, refusedEdit }: TaskView): string[] {
  if (refusedEdit === undefined || task.status === 'closed') return []
  return [
    `task.json:    changed while an agent was at work, so not applied: ${plainLine(refusedEdit)} has it (delete it when you have seen it)`,
    `              ${settingsHint(task.id)}`,
  ]
}

function attemptLines({ attempts, attemptsElsewhere, now }: TaskView): string[] {
  const elsewhere = attemptsElsewhere === 0 ? [] : [`  ${attemptsElsewhere} on other machines`]
  const lines = [...attempts.map((run) => attemptLine(run, now)), ...elsewhere]
  return lines.length === 0 ? [] : ['', 'attempts:', ...lines]
}

/** `  2  no-claim  4m05s  12.3k tokens  $0.12  it ended without saying that it is done` */
function attemptLine(run: Run, now: number): string {
  const outcome = run.outcome?.code ?? run.phase
  const took = elapsed((run.endedAt ?? now) - run.startedAt)
  const used = tokens(run.figures)
  const paid = run.figures.costUsd === null ? '' : `  ${cost(run.figures)}`
  const estimated = run.figures.estimated && used !== UNKNOWN && run.endedAt !== null ? ' (estimate)' : ''
  const why = run.outcome === null || run.outcome.text === '' ? '' : `  ${plainLine(run.outcome.text)}`
  const warning = servedWarning(run.model, run.figures.servedModel)
  const aside = warning === undefined ? '' : `  ! ${plainLine(warning)}`
  return `  ${run.attempt}  ${outcome}  ${took}${used === UNKNOWN ? '' : `  ${used} tokens${estimated}`}${paid}${why}${aside}`
}

/** `  14:02:11  #1  the flaky test is unrelated` */
function noteLine({ at, attempt, text }: Note, now: number): string {
  return `  ${moment(at, now)}${attempt === undefined ? '' : `  #${attempt}`}  ${bounded(plainLine(text), 500)}`
}

function tagged({ value, given }: Chosen<string | undefined>, otherwise = ''): string {
  return `${plainLine(value ?? otherwise)}${given ? '' : ' (default)'}`
}
