import type { Review } from '../../domain/run/review.ts'
import { bounded } from '../../domain/text/bounded.ts'
import { moment } from '../../domain/text/moment.ts'
import { plainLine } from '../../domain/text/plain.ts'
import { pluralize } from '../../domain/text/pluralize.ts'
import type { WaitingReview } from '../../views/review/reviews.ts'
import type { ShownProgram } from '../../views/review/stopped-landing.ts'

/** A task that waits for a review, with the command that shows it. */
export function waitingLines({ task, since, run, receipt, machine, reason }: WaitingReview, now: number): string[] {
  const about = [
    `waits since ${moment(since, now)}`,
    ...(run === undefined ? [] : [`attempt ${run.attempt}`, plainLine(run.coder)]),
    ...(receipt === undefined ? [] : [receipt.level]),
    ...(machine === undefined ? [] : [`on ${plainLine(machine)}`]),
  ]
  const { files_changed_count: files } = receipt?.evidence ?? { files_changed_count: null }
  const counts = [
    ...(files === null ? [] : [`${pluralize(files, 'file')} changed`]),
    ...(receipt === undefined || receipt.warnings.length === 0 ? [] : [pluralize(receipt.warnings.length, 'warning')]),
  ]
  return [
    `${task.id}  ${bounded(plainLine(task.title), 200)}  (${about.join(', ')})`,
    ...(reason === '' ? [] : [`  ${bounded(plainLine(reason), 300)}`]),
    ...(counts.length === 0 ? [] : [`  ${counts.join(', ')}`]),
    `  fleet review ${task.id}`,
  ]
}

/** `accepted by anna at 14:02:11, with the note: well done` */
export function decisionText({ decision, by, at, note }: Review, now: number): string {
  const said = note === '' ? '' : `, with the note: ${bounded(plainLine(note), 300)}`
  return `${decision} by ${plainLine(by)} at ${moment(at, now)}${said}`
}

const PROGRAM_LINES = 40

/** Why a landing was stopped, and what stands in its repository now. */
export function programLines(why: string, programs: readonly ShownProgram[]): string[] {
  const each = programs.flatMap(({ name, how, text }) => {
    const lines = (text ?? '').trimEnd().split('\n')
    const shown = lines.slice(0, PROGRAM_LINES).map((line) => `  | ${bounded(plainLine(line), 200)}`)
    const more = lines.length - shown.length
    return [
      `${plainLine(name)} (${how})`,
      ...(text === null || text === '' ? [] : shown),
      ...(more > 0 ? [`  | … ${pluralize(more, 'more line')}`] : []),
    ]
  })
  return ['', bounded(plainLine(why), 600), ...each]
}
