import { isPassed } from '../../domain/run/outcome.ts'
import type { Run } from '../../domain/run/run.ts'
import { servedWarning } from '../../domain/run/served-model.ts'
import { elapsed } from '../../domain/text/moment.ts'
import { plainLine } from '../../domain/text/plain.ts'
import { pluralize } from '../../domain/text/pluralize.ts'
import type { TaskView } from '../../views/task.ts'
import { cost, costSpent, tokens, tokensSpent, UNKNOWN } from './figures.ts'
import type { Line, Style } from './painted.ts'
import { pad, widthOf } from './width.ts'
import { wrapped } from './wrap.ts'

/** The attempts of a task in columns, and their sum where there are several. */
export function attemptLines(
  { attempts, attemptsElsewhere, isShared, spent, altered, now }: TaskView,
  width: number,
): Line[] {
  if (attempts.length + attemptsElsewhere === 0) return []
  const where = isShared ? 'on other machines' : 'before this home kept a record'
  const rows = attempts.map((run) => rowOf(run, { now, altered: altered.get(run.attempt) ?? [] }))
  const several = attempts.filter((run) => run.endedAt !== null).length > 1
  const sum: Row = {
    cells: ['', 'total', elapsed(spent.durationMs), counted(tokensSpent(spent)), shownCost(costSpent(spent))],
    why: missingText(spent),
    style: undefined,
  }
  const all = several ? [...rows, sum] : rows
  const widths = [0, 1, 2, 3, 4].map((i) => Math.max(0, ...all.map(({ cells }) => widthOf(cells[i] ?? ''))))
  return [
    [],
    [{ text: 'attempts:', style: 'dim' }],
    ...all.flatMap((row) => lineOf(row, { widths, width })),
    ...(attemptsElsewhere === 0 ? [] : [[{ text: `  ${attemptsElsewhere} ${where}` }]]),
  ]
}

interface Row {
  /** Attempt, outcome, duration, tokens, cost. */
  readonly cells: readonly string[]
  readonly why: string
  readonly style: Style | undefined
}

function rowOf(run: Run, { now, altered }: { now: number; altered: readonly string[] }): Row {
  const code = run.outcome?.code ?? run.phase
  const used = tokens(run.figures)
  const estimated = run.figures.estimated && used !== UNKNOWN && run.endedAt !== null ? ' (estimate)' : ''
  const warning = servedWarning(run.model, run.figures.servedModel)
  const asides = [
    ...(warning === undefined ? [] : [`! ${plainLine(warning)}`]),
    ...(altered.length === 0 ? [] : [`! altered: ${plainLine(altered.slice(0, 5).join(', '))}`]),
  ]
  return {
    cells: [
      String(run.attempt),
      code,
      elapsed((run.endedAt ?? now) - run.startedAt),
      `${counted(used)}${estimated}`,
      shownCost(cost(run.figures)),
    ],
    why: [plainLine(run.outcome?.text ?? ''), ...asides].filter((each) => each !== '').join('  '),
    style: run.outcome === null ? undefined : isPassed(run.outcome.code) ? 'green' : 'yellow',
  }
}

function counted(text: string): string {
  return text === UNKNOWN ? '' : `${text} tokens`
}

function shownCost(text: string): string {
  return text === UNKNOWN ? '' : text
}

/** `unknown: cost of 1 attempt` */
function missingText({ costUsd, costMissing, tokensMissing }: TaskView['spent']): string {
  const missing = [
    ...(tokensMissing === 0 ? [] : [`tokens of ${pluralize(tokensMissing, 'attempt')}`]),
    ...(costMissing === 0 || costUsd === null ? [] : [`cost of ${pluralize(costMissing, 'attempt')}`]),
  ]
  return missing.length === 0 ? '' : `unknown: ${missing.join(', ')}`
}

function lineOf({ cells, why, style }: Row, { widths, width }: { widths: readonly number[]; width: number }): Line[] {
  // An empty column takes no room.
  const shown = cells.flatMap((cell, i) => {
    const room = widths[i] ?? 0
    return room === 0 ? [] : [{ text: `  ${pad(cell, room, i >= 2 && i !== 3 ? 'left' : 'right')}`, i }]
  })
  const head = shown.reduce((sum, { text }) => sum + widthOf(text), 0)
  const beside = width - head - 2 >= 24
  const words = why === '' ? [] : wrapped(why, beside ? width - head - 2 : Math.max(20, width - 6))
  const spans = shown.map(({ text, i }, at) => {
    const isLast = at === shown.length - 1 && (words.length === 0 || !beside)
    const cell = isLast ? text.trimEnd() : text
    return i === 1 && style !== undefined ? { text: cell, style } : { text: cell }
  })
  const indent = ' '.repeat(beside ? head + 2 : 6)
  if (!beside) return [spans, ...words.map((line) => [{ text: `${indent}${line}` }])]
  return [
    words[0] === undefined ? spans : [...spans, { text: `  ${words[0]}` }],
    ...words.slice(1).map((line) => [{ text: `${indent}${line}` }]),
  ]
}
