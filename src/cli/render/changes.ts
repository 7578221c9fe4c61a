import { visibleLine } from '../../domain/text/plain.ts'
import type { Decided } from '../../views/json/home-changes.ts'

/** The difference, and what became of it. */
export function decidedLines({ change, diff, decision, keptAs }: Decided): string[] {
  const { path, runs } = change
  const by = runs.length === 0 ? '' : ` (${runs.length === 1 ? 'the run' : 'runs'} ${runs.join(', ')})`
  return [
    `${path}${diff.problem === undefined ? '' : ` ${diff.problem}`}: changed while agents ran${by}`,
    ...diff.lines.map(({ kind, text }) => `  ${kind} ${visibleLine(text)}`),
    ...diff.masked.map((key) => `  ${key} has another value, which is masked`),
    ...(decision === 'accepted' ? [`Accepted: ${path} is in force as it is now.`] : []),
    ...(decision === 'reverted'
      ? [`Reverted: ${path} is as it was${keptAs === undefined ? '' : `; the changed file is ${keptAs}`}.`]
      : []),
    ...(decision === null ? ['Nothing was decided.'] : []),
  ]
}
