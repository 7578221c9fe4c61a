import type { Finding, Findings } from '../../actions/demo/findings.ts'
import type { Run } from '../../domain/run/run.ts'
import { spentBy } from '../../domain/run/spent.ts'
import { plainLine } from '../../domain/text/plain.ts'
import { pluralize } from '../../domain/text/pluralize.ts'
import { tokensSpent } from './figures.ts'
import type { Line } from './painted.ts'
import { type Column, tableLines } from './table.ts'

export interface Moment {
  readonly at: number
  readonly line: string
}

/** The starts and ends so far, for a reader without a terminal; a moment keeps its line in every call. */
export function momentsOf(runs: readonly Run[]): readonly Moment[] {
  const began = beginOf(runs)
  const line = (at: number, sign: string, text: string) => ({ at, line: `${since(began, at)}  ${sign} ${text}` })
  return runs
    .flatMap((run) => [
      line(run.startedAt, '▶', `${run.task}  ${run.title}`),
      ...(run.endedAt === null || run.outcome === null
        ? []
        : [line(run.endedAt, run.outcome.code === 'done' ? '✓' : '■', `${run.task}  ${plainLine(run.outcome.text)}`)]),
    ])
    .sort((a, b) => a.at - b.at)
}

/** Each task beside its evidence. */
export function evidenceLines({ tasks }: Findings, width: number): Line[] {
  const began = beginOf(tasks.flatMap(({ runs }) => runs))
  const titles = new Map(tasks.map(({ task, id }) => [task.key, id]))
  const columns: readonly Column<Finding>[] = [
    { title: 'ID', weight: 11, cell: ({ id }) => ({ text: id }) },
    { title: 'Task', weight: 10, least: 12, cell: ({ task }) => ({ text: task.title }) },
    {
      title: 'Waited for',
      weight: 7,
      least: 10,
      cell: ({ task }) => ({ text: task.needs.map((key) => titles.get(key)).join(' ') || '-', style: 'dim' }),
    },
    {
      title: 'From',
      weight: 5,
      align: 'right',
      cell: ({ runs: [run] }) => ({ text: run === undefined ? '-' : since(began, run.startedAt).trim() }),
    },
    { title: 'To', weight: 5, align: 'right', cell: ({ runs }) => ({ text: endOf(runs, began) }) },
    {
      title: 'Outcome',
      weight: 9,
      cell: ({ status, runs }) => ({
        text: runs.at(-1)?.outcome?.code ?? status,
        style: status === 'closed' ? 'green' : 'yellow',
      }),
    },
    { title: 'Attempts', weight: 7, align: 'right', cell: ({ runs }) => ({ text: String(runs.length) }) },
    { title: 'Tokens', weight: 6, align: 'right', cell: ({ runs }) => ({ text: tokensSpent(spentBy(runs)) }) },
    { title: 'Level', weight: 8, cell: ({ receipt }) => ({ text: receipt?.level ?? '-' }) },
    { title: 'Said', weight: 6, least: 10, cell: ({ receipt }) => ({ text: receipt?.claim?.summary ?? '-' }) },
  ]
  return tableLines(columns, tasks, width)
}

/** How much went on side by side. */
export function togetherLine({ tasks }: Findings): string {
  const runs = tasks.flatMap((finding) => finding.runs)
  const ends = runs.map((run) => run.endedAt ?? run.startedAt)
  const work = runs.reduce((sum, run, i) => sum + (ends[i] as number) - run.startedAt, 0)
  const whole = Math.max(0, ...ends) - beginOf(runs)
  const most = Math.max(
    0,
    ...runs.map(
      ({ startedAt }) => runs.filter((run, i) => run.startedAt <= startedAt && startedAt < (ends[i] as number)).length,
    ),
  )
  return `${seconds(work)} of work in ${seconds(whole)}: at most ${pluralize(most, 'agent')} side by side, in ${pluralize(runs.length, 'attempt')}`
}

export function filesLine({ files }: Findings): string {
  return files.map(({ path, size }) => `${plainLine(path)} (${size} bytes)`).join(', ')
}

/** The part of a receipt that shows the idea: the agent's claim, and the supervisor's evidence. */
export function receiptExcerpt({ receipt }: Finding): string {
  if (receipt === undefined) return 'there is none'
  const { claim, level, outcome, evidence } = receipt
  // A script is judged by its exit status alone, so there is no other evidence.
  const { tool_calls, files_changed, commits, ...plain } = evidence
  const seen = claim?.how === 'exit' ? plain : { ...plain, tool_calls, files_changed, commits }
  const { files_changed_count: _count, artifacts: _artifacts, events: _events, ...shown } = seen
  return JSON.stringify({ claim, level, outcome, evidence: shown }, undefined, 2)
}

function endOf(runs: readonly Run[], began: number): string {
  const at = runs.at(-1)?.endedAt ?? null
  return at === null ? '-' : since(began, at).trim()
}

function beginOf(runs: readonly Run[]): number {
  return runs.length === 0 ? 0 : Math.min(...runs.map((run) => run.startedAt))
}

function since(began: number, at: number): string {
  return seconds(at - began).padStart(6)
}

function seconds(millis: number): string {
  return `${(millis / 1000).toFixed(1)} s`
}
