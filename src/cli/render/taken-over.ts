import { STATUSES } from '../../domain/task/task.ts'
import { pluralize } from '../../domain/text/pluralize.ts'
import type { TakenOver } from '../../home/take-over.ts'

/** Lists what `fleet init` found in a home, and the result for each part. */
export function takenOverLines(it: TakenOver): string[] {
  const total = Object.values(it.byStatus).reduce((sum, count) => sum + count, 0)
  const statuses = Object.entries(it.byStatus)
    .sort(([a], [b]) => ORDER.indexOf(a) - ORDER.indexOf(b))
    .map(([status, count]) => `${count} ${status.replaceAll('_', ' ')}`)
  const tasks = `${pluralize(total, 'task')}${total === 0 ? '' : ` (${statuses.join(', ')})`}`
  return [
    `${HEADS[it.from]}: ${tasks}`,
    ...(it.failed > 0
      ? [`  failures: ${pluralize(it.failed, 'task')} ${it.failed === 1 ? 'keeps its' : 'keep their'} count`]
      : []),
    ...(it.questions > 0 ? [`  questions: ${it.questions} open; fleet questions lists them`] : []),
    ...reopenedLines(it.reopened),
    ...Object.entries(it.claimed).flatMap(([holder, ids]) => claimedLines(holder, ids)),
    ...it.unread.map((each) => `  not read: ${each}`),
    ...Object.entries(it.unused).map(([key, count]) => `  ${key}: ${pluralize(count, 'task')}; not used, and kept`),
    ...configLines(it.config),
  ]
}

const ORDER: readonly string[] = STATUSES

const HEADS: Readonly<Record<TakenOver['from'], string>> = {
  python: 'Taken over from the Python fleet',
  lost: 'Read again from bd',
  beside: 'Found in bd',
  found: 'Found in bd',
}

/** How many ids a line names. */
const NAMED = 5

function reopenedLines(ids: readonly string[]): string[] {
  if (ids.length === 0) return []
  return [`  open again: ${named(ids)}, claimed by the Python fleet (stop it before fleet run)`]
}

function claimedLines(holder: string, ids: readonly string[]): string[] {
  const one = ids.length === 1 ? ids[0] : '<id>'
  const all = ids.length > NAMED ? ' (fleet bd list --status in_progress)' : ''
  return holder === ''
    ? [`  still in progress, claimed by no one: ${named(ids)}${all}; fleet bd update ${one} --status open opens it`]
    : [`  still claimed by ${holder}: ${named(ids)}${all}; fleet bd unclaim ${one} --force opens it`]
}

function named(ids: readonly string[]): string {
  const more = ids.length > NAMED ? ` and ${ids.length - NAMED} more` : ''
  return `${ids.slice(0, NAMED).join(', ')}${more}`
}

function configLines(config: TakenOver['config']): string[] {
  if (config === undefined) return []
  return [
    ...(config.kept.length === 0 ? [] : [`  settings as they were: ${config.kept.join(', ')}`]),
    ...config.taken.map((each) => `  setting: ${each}`),
    ...config.dropped.map((each) => `  no such setting here: ${each}`),
    ...config.refused.map((each) => `  not taken over: ${each}`),
    ...(config.backup === undefined ? [] : [`  runtime.toml as it was: ${config.backup}`]),
  ]
}
