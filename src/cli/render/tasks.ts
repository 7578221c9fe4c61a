import { isPassed } from '../../domain/run/outcome.ts'
import type { Run } from '../../domain/run/run.ts'
import { servedByAnother } from '../../domain/run/served-model.ts'
import { isSuspicious, lastSignOfLife } from '../../domain/run/suspicion.ts'
import { elapsed, moment, upcoming } from '../../domain/text/moment.ts'
import type { Listed } from '../../views/first-few.ts'
import { holdText } from '../../views/hold.ts'
import type { EndedTask, QueuedTask, WaitingTask } from '../../views/not-running.ts'
import type { ElsewhereTask, RunningTask, Snapshot } from '../../views/snapshot.ts'
import { attentionColumns } from './attention.ts'
import { context, costSpent, tokens, tokensSpent, UNKNOWN } from './figures.ts'
import type { Line, Span, Style } from './painted.ts'
import { type PictureLine, pictureLines, type Section, sectionLines, sectionsText } from './sections.ts'
import type { Column } from './table.ts'

/** For a terminal of this width. With `--all` the most important part comes last, nearest the prompt. */
export function tasksLines(snapshot: Snapshot, width: number): Line[] {
  return sectionLines(inReadingOrder(snapshot), width)
}

/** For programs and files. */
export function tasksText(snapshot: Snapshot): string {
  return sectionsText(inReadingOrder(snapshot))
}

/** For a picture that is drawn over and over: the most important part stands at its top, where it stays. */
export function tasksPicture(snapshot: Snapshot, width: number): readonly PictureLine[] {
  return pictureLines(sectionsOf(snapshot), width)
}

function inReadingOrder(snapshot: Snapshot): Section[] {
  const sections = sectionsOf(snapshot)
  return snapshot.rest === undefined ? sections : sections.reverse()
}

function sectionsOf(snapshot: Snapshot): Section[] {
  const { now, attention, running, elsewhere, rest } = snapshot
  const sections: Section<never>[] = []
  if (attention.rows.length > 0)
    sections.push({ title: 'Needs you', columns: attentionColumns(now), listed: attention as Listed<never> })
  sections.push({
    title: 'Running',
    columns: runningColumns(now),
    listed: running as Listed<never>,
    none: 'Nothing is running.',
  })
  if (elsewhere !== undefined && elsewhere.rows.length > 0)
    sections.push({ title: 'Running on other machines', columns: ELSEWHERE, listed: elsewhere as Listed<never> })
  if (rest !== undefined) {
    sections.push(
      { title: 'Queued', columns: QUEUED, listed: rest.queued as Listed<never>, none: 'Nothing is queued.' },
      {
        title: 'Waiting',
        columns: waitingColumns(now),
        listed: rest.waiting as Listed<never>,
        none: 'Nothing waits.',
      },
      {
        title: 'Ended',
        columns: endedColumns(now),
        listed: rest.ended as Listed<never>,
        none: 'Nothing has ended yet.',
      },
    )
  }
  return sections as unknown as Section[]
}

/** Enough of a title to tell tasks apart; figures that say less than it come after. */
const TITLE = 40

function runningColumns(now: number): Column<RunningTask>[] {
  return [
    { title: 'ID', weight: 11, cell: ({ run }) => ({ text: run.task }) },
    { title: 'Started', weight: 3, extra: true, cell: ({ run }) => ({ text: moment(run.startedAt, now) }) },
    { title: 'Elapsed', weight: 9, align: 'right', cell: ({ run }) => ({ text: elapsed(now - run.startedAt) }) },
    { title: 'Idle', weight: 8, align: 'right', cell: (row) => idle(row, now) },
    { title: 'Context', weight: 6, align: 'right', cell: ({ run }) => context(run.figures) },
    { title: 'Tokens', weight: 5, extra: true, align: 'right', cell: ({ run }) => ({ text: tokens(run.figures) }) },
    {
      title: 'Events',
      weight: 2,
      extra: true,
      align: 'right',
      cell: ({ run }) => ({ text: String(run.figures.events) }),
    },
    { title: 'Coder', weight: 7, cell: ({ run, given }) => chosen(run.coder, given.coder) },
    { title: 'Model', weight: 4, least: 6, extra: true, cell: ({ run, given }) => modelOf(run, given.model) },
    { title: 'Title', weight: 10, least: 10, wish: TITLE, cell: (row) => titleOf(row, now) },
    { title: 'cwd', weight: 1, least: 8, extra: true, cell: ({ run, given }) => chosen(run.cwd, given.cwd) },
  ]
}

/** The command that it is being verified with, or why it is silent, comes first: it is what happens now. */
function titleOf({ run, verifying, awaits }: RunningTask, now: number): Span {
  if (awaits !== undefined) return { text: `waiting for a review by ${awaits.coder}: ${run.title}`, style: 'yellow' }
  if (verifying !== undefined) return { text: `verifying (${verifying.command}): ${run.title}` }
  const { silence } = run.figures
  if (silence === null || run.phase !== 'running') return { text: run.title }
  const text = `silent ${elapsed(now - lastSignOfLife(run))}: ${silence.text}: ${run.title}`
  return isSuspicious(run, now) ? { text, style: 'yellow' } : { text }
}

function idle({ run, verifying }: RunningTask, now: number): Span {
  if (verifying !== undefined) return { text: `verify ${elapsed(now - verifying.startedAt)}` }
  if (run.phase === 'checking') return { text: 'checking' }
  const text = elapsed(now - lastSignOfLife(run))
  return isSuspicious(run, now) ? { text, style: 'yellow' } : { text }
}

/** `sonnet, not opus`: another model answers than the one asked for. */
function modelOf({ model, figures }: Run, given: string | undefined): Span {
  const { servedModel } = figures
  if (servedByAnother(model, servedModel)) return { text: `${servedModel}, not ${model}`, style: 'yellow' }
  return chosen(model ?? servedModel ?? UNKNOWN, given)
}

/** Given on the task: bold; default: dim. */
function chosen(text: string, given: string | undefined): Span {
  return { text, style: given === undefined ? 'dim' : 'bold' }
}

const ELSEWHERE: readonly Column<ElsewhereTask>[] = [
  { title: 'ID', weight: 11, cell: ({ id }) => ({ text: id }) },
  { title: 'Machine', weight: 9, least: 8, cell: ({ machine }) => ({ text: machine }) },
  { title: 'Title', weight: 10, least: 10, wish: TITLE, cell: ({ title }) => ({ text: title }) },
]

const QUEUED: readonly Column<QueuedTask>[] = [
  { title: 'ID', weight: 11, cell: ({ id }) => ({ text: id }) },
  { title: 'Priority', weight: 4, cell: ({ priority }) => ({ text: `P${priority}` }) },
  {
    title: 'Coder',
    weight: 6,
    cell: ({ given, assignment }) => chosen(assignment?.coder.value ?? given.coder ?? UNKNOWN, given.coder),
  },
  {
    title: 'Model',
    weight: 3,
    least: 6,
    extra: true,
    cell: ({ given, assignment }) => chosen(assignment?.model.value ?? given.model ?? UNKNOWN, given.model),
  },
  { title: 'Title', weight: 10, least: 10, wish: TITLE, cell: ({ title }) => ({ text: title }) },
  { title: 'cwd', weight: 1, least: 8, extra: true, cell: ({ given }) => chosen(given.cwd ?? UNKNOWN, given.cwd) },
]

function waitingColumns(now: number): Column<WaitingTask>[] {
  return [
    { title: 'ID', weight: 11, cell: ({ id }) => ({ text: id }) },
    { title: 'Until', weight: 9, cell: ({ hold }) => ({ text: until(hold.until, now) }) },
    { title: 'Why', weight: 8, least: 12, cell: ({ hold }) => ({ text: holdText(hold) }) },
    { title: 'Title', weight: 7, least: 10, cell: ({ title }) => ({ text: title }) },
  ]
}

function until(at: number | null, now: number): string {
  return at === null ? UNKNOWN : upcoming(at, now)
}

function endedColumns(now: number): Column<EndedTask>[] {
  return [
    { title: 'ID', weight: 11, cell: ({ last }) => ({ text: last.task }) },
    {
      title: 'Ended',
      weight: 5,
      cell: ({ last }) => ({ text: last.endedAt === null ? UNKNOWN : moment(last.endedAt, now) }),
    },
    {
      title: 'Took',
      weight: 4,
      extra: true,
      align: 'right',
      cell: ({ spent }) => ({ text: elapsed(spent.durationMs) }),
    },
    { title: 'Attempts', weight: 2, extra: true, align: 'right', cell: ({ last }) => ({ text: String(last.attempt) }) },
    { title: 'Outcome', weight: 9, cell: ({ last }) => outcome(last) },
    { title: 'Status', weight: 6, cell: ({ status }) => ({ text: status ?? 'deleted' }) },
    { title: 'Tokens', weight: 3, extra: true, align: 'right', cell: ({ spent }) => ({ text: tokensSpent(spent) }) },
    { title: 'Cost', weight: 1, extra: true, align: 'right', cell: ({ spent }) => ({ text: costSpent(spent) }) },
    { title: 'Title', weight: 10, least: 10, wish: TITLE, cell: ({ last }) => ({ text: last.title }) },
  ]
}

function outcome(run: Run): Span {
  const code = run.outcome?.code
  const style: Style = isPassed(code) ? 'green' : 'yellow'
  return code === undefined ? { text: UNKNOWN } : { text: code, style }
}
