import type { Note } from '../../domain/agent/note.ts'
import { settingsHint } from '../../domain/agent/refused-edit.ts'
import type { Chosen, KnownAssignment } from '../../domain/fleet/assignment.ts'
import type { Waiting } from '../../domain/fleet/waiting.ts'
import type { Question, Run } from '../../domain/run/run.ts'
import { servedWarning } from '../../domain/run/served-model.ts'
import type { Task } from '../../domain/task/task.ts'
import { bounded } from '../../domain/text/bounded.ts'
import { cost, elapsed, moment, tokens, UNKNOWN, upcoming } from './figures.ts'
import { plain, plainLine } from './plain.ts'

export interface ShownTask {
  readonly task: Task
  readonly cwd: Chosen<string | undefined>
  readonly assignment: KnownAssignment
  /** false: the configuration cannot be read, and with it what is default. */
  readonly configured: boolean
  /** Its script, where it is not the description. */
  readonly command: string | undefined
  /** The machine it asks for. */
  readonly on: string | undefined
  readonly now: number
  /** The attempt under way. */
  readonly running: Run | undefined
  readonly waiting: Waiting
  readonly attempts: readonly Run[]
  /** How many were made on other machines, which have what is to be known of them. */
  readonly attemptsElsewhere: number
  readonly question: Question | undefined
  /** Where a change of its task.json is kept that was not taken in. */
  readonly refusedEdit: string | undefined
  /** The newest of its agents, oldest first. */
  readonly notes: readonly Note[]
}

export function shownLines(shown: ShownTask): string[] {
  const { task, cwd, assignment, configured, command, on, question, notes, now } = shown
  return [
    `id:           ${task.id}`,
    `title:        ${plainLine(task.title)}`,
    `status:       ${task.status}`,
    `cwd:          ${tagged(cwd, 'a folder of its own')}`,
    `coder:        ${tagged(assignment.coder, UNREADABLE)}`,
    `model:        ${tagged(assignment.model, configured ? "the coder's own" : UNREADABLE)}`,
    ...(on === undefined ? [] : [`on:           ${plainLine(on)}`]),
    ...(command === undefined ? [] : commandLines(command)),
    standing(shown),
    ...(question === undefined ? [] : questionLines(question)),
    ...refusedEditLines(shown),
    ...attemptLines(shown),
    ...(notes.length === 0 ? [] : ['', 'notes:', ...notes.map((note) => noteLine(note, now))]),
    '',
    ...(task.description === '' ? ['(no description)'] : plain(task.description.trimEnd()).split('\n')),
  ]
}

/** Which of the defaults it will be. */
const UNREADABLE = 'as runtime.toml says, which is wrong'

function commandLines(command: string): string[] {
  const lines = plain(command.trimEnd()).split('\n')
  return lines.map((line, i) => `${(i === 0 ? 'command:' : '').padEnd(14)}${line}`.trimEnd())
}

function standing({ running, waiting, now }: ShownTask): string {
  if (running !== undefined) return `running:      ${runningSince(running, now)}`
  if (waiting.kind === 'elsewhere')
    return `running:      on ${plainLine(waiting.machine)}, claimed as ${plainLine(waiting.by)}`
  if (waiting.kind !== 'closed') return `not running:  ${whyNot(waiting, now)}`
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

function refusedEditLines({ task, refusedEdit }: ShownTask): string[] {
  if (refusedEdit === undefined || task.status === 'closed') return []
  return [
    `task.json:    changed while an agent was at work, so not applied: ${plainLine(refusedEdit)} has it (delete it when you have seen it)`,
    `              ${settingsHint(task.id)}`,
  ]
}

function attemptLines({ attempts, attemptsElsewhere, now }: ShownTask): string[] {
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

export function whyNot(waiting: Waiting, now: number): string {
  switch (waiting.kind) {
    case 'closed':
      return 'it is closed'
    case 'claimed':
      return `claimed by ${plainLine(waiting.by) || 'nobody named'}${waiting.since === null ? '' : ` since ${waiting.since}`}`
    case 'elsewhere':
      return `it runs on another machine, ${plainLine(waiting.machine)}`
    case 'question':
      return 'its agent asked a question that nobody has answered'
    case 'status': {
      const label = waiting.label === undefined ? '' : ` (${waiting.label})`
      return `its status is ${plainLine(waiting.status)}${label}${waiting.reason === undefined ? '' : `: ${plainLine(waiting.reason)}`}`
    }
    case 'deferred':
      return waiting.until === undefined ? 'it is deferred, or a parent of it is' : `deferred until ${waiting.until}`
    case 'blocked':
      return `blocked by ${waiting.by.join(', ')}`
    case 'no-work':
      return `an issue of type ${plainLine(waiting.type)} is not work to start; its children are`
    case 'assigned':
      return `assigned to ${plainLine(waiting.to)}, who has not started it`
    case 'machine': {
      const seen = waiting.seen === null ? 'which is not there' : `which was last seen at ${moment(waiting.seen, now)}`
      return `it waits for machine ${plainLine(waiting.on)}, ${seen} (fleet hosts)`
    }
    case 'directory':
      return `${plainLine(waiting.cwd)} is not on this machine, and no other is there: see [hosts] paths and clone in runtime.toml`
    case 'no-supervisor':
      return 'no supervisor is running'
    case 'paused':
      return `claiming was paused by ${plainLine(waiting.by)} at ${moment(waiting.at, now)} (fleet resume)`
    case 'lane': {
      const resumes = waiting.until === null ? '' : `, resumes ${upcoming(waiting.until, now)}`
      const reason = waiting.reason === '' ? '' : `: ${plainLine(waiting.reason)}`
      return `its lane ${plainLine(waiting.lane)} is ${waiting.state}${waiting.state === 'down' ? '' : resumes}${reason}`
    }
    case 'later':
      return `until ${upcoming(waiting.until, now)}: ${plainLine(waiting.reason)}`
    case 'slots':
      return `all slots are taken: ${waiting.running} of ${waiting.most} agents are at work`
    case 'next':
      return 'it waits for its turn'
  }
}
