import type { TaskQuery } from '../../../ports/task-store.ts'
import { type BdCall, BdFailure } from '../command.ts'

/** Input that `list` refuses, in bd's words. */

const MEANT_AS_FLAGS = ['ready', 'tree', 'flat', 'all', 'long', 'pretty', 'pinned', 'overdue']

export function refuseArguments(args: readonly string[]): void {
  if (args.length === 0) return
  const flag = args.find((arg) => MEANT_AS_FLAGS.includes(arg))
  const message =
    flag === undefined
      ? 'bd list does not accept positional arguments; use flags instead (see bd list --help)'
      : `unknown argument "${flag}"; did you mean "--${flag}"${flag === 'ready' ? " or 'bd ready'" : ''}?`
  throw new BdFailure(message, { json: 'text' })
}

export function refuseTemplates({ flags }: BdCall): void {
  const format = flags.text('format') ?? ''
  if (format === '' || format.toLowerCase() === 'json') return
  throw new BdFailure(`bd list --format ${format} is not served by fleet`, {
    json: 'text',
    exitCode: 8,
    hint: 'use --json and jq, or fleet bd dep tree <id>',
  })
}

/** The one error for which bd exits 2 with its own message format. */
export function refuseSkippedLabels({ flags }: BdCall): void {
  if (!flags.on('skip-labels')) return
  const filters = ['label', 'label-any', 'label-pattern', 'label-regex', 'exclude-label', 'no-labels']
  const given = filters.filter((name) => flags.has(name)).map((name) => `--${name}`)
  if (given.length === 0) return
  throw new BdFailure(
    `--skip-labels cannot be combined with --label,
       --label-any, --label-pattern, --label-regex,
       --exclude-label, or --no-labels (the filter).
       (got: --skip-labels ${given.join(' ')})
reason: --skip-labels suppresses the labels that those
        filters depend on.

To filter by labels: drop --skip-labels.
To get a label-free result fast: drop --label flags.`,
    { json: 'text', exitCode: 2 },
  )
}

export async function checkMaxRows(call: BdCall, query: TaskQuery, limit: number): Promise<void> {
  const source = call.flags.has('max-rows') ? '--max-rows' : 'BEADS_MAX_ROWS'
  const most = call.flags.number('max-rows') ?? (Number(call.env['BEADS_MAX_ROWS']) || 0)
  if (most < 0) throw new BdFailure(`--max-rows must be non-negative; got ${most}`)
  if (most === 0 || (limit > 0 && limit <= most) || (await call.store.count(query)) <= most) return
  throw new BdFailure(
    `too many rows: ${most + 1} found, ${source}=${most} exceeded.
       Refine the query (add filters, set --limit), or raise the cap with
       --max-rows N or BEADS_MAX_ROWS=N.`,
    { json: 'text', exitCode: 2 },
  )
}
