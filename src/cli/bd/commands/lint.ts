import { LINT_SECTIONS } from '../../../domain/queue/bd-configuration.ts'
import { missingIn } from '../../../domain/task/rules/lint.ts'
import type { Task } from '../../../domain/task/task.ts'
import { plainLine, printableJson } from '../../../domain/text/plain.ts'
import type { BdCall, BdCommand } from '../command.ts'

export const lint: BdCommand = {
  name: 'lint',
  summary: 'Check issues for missing template sections',
  usage: '[issue-id...] [flags]',
  about: `Check whether descriptions have the sections that their type should have: a bug its steps and its acceptance criteria,
a task or a feature its acceptance criteria, an epic its success criteria, a decision its rationale. Exit 1 if any are
missing. fleet bd config set lint.sections.<type> "A, B" asks for more.`,
  examples: ['fleet bd lint', 'fleet bd lint --type bug --status all'],
  flags: [
    { name: 'type', short: 't', kind: 'text', help: 'Filter by issue type' },
    { name: 'status', short: 's', kind: 'text', help: "Filter by status (default: open, use 'all' for all)" },
  ],
  reads: true,
  async run(call) {
    const tasks = await lintedTasks(call)
    const more = await call.store.values.list(LINT_SECTIONS)
    const results = tasks.flatMap((task) => {
      const missing = missingIn(task, more.get(`${LINT_SECTIONS}${task.issue_type}`) ?? '')
      return missing.length === 0 ? [] : [{ task, missing: missing.map(({ heading }) => `## ${heading}`) }]
    })
    const total = results.reduce((sum, { missing }) => sum + missing.length, 0)
    if (call.json) return call.print(lintJson(results, total))
    if (results.length === 0) return call.print(`✓ No template warnings found (${tasks.length} issues checked)`)
    call.print(`Template warnings (${results.length} issues, ${total} warnings):\n`)
    for (const { task, missing } of results) {
      call.print(`${task.id} [${task.issue_type}]: ${plainLine(task.title)}`)
      for (const heading of missing) call.print(`  ⚠ Missing: ${plainLine(heading)}`)
      call.print('')
    }
    call.fail()
  },
}

async function lintedTasks(call: BdCall): Promise<Task[]> {
  const tasks: Task[] = []
  for (const id of call.args) {
    const match = await call.store.resolve(id)
    const task = match.kind === 'found' ? await call.store.get(match.id) : undefined
    if (task === undefined) call.warn(`Error getting ${id}: not found: issue ${id}`)
    else tasks.push(task)
  }
  if (call.args.length > 0) return tasks
  const status = call.flags.text('status') || 'open'
  const type = call.flags.text('type') ?? ''
  const query = {
    ...(status === 'all' ? {} : { statuses: [status] }),
    ...(type === '' ? {} : { types: [type] }),
    ephemeral: false,
    sort: 'priority' as const,
  }
  for await (const task of call.store.find(query)) tasks.push(task)
  return tasks
}

/** bd prints this object without its schema_version. */
function lintJson(results: readonly { task: Task; missing: readonly string[] }[], total: number): string {
  const rows = results.map(({ task: { id, title, issue_type: type }, missing }) => ({
    id,
    title,
    type,
    missing,
    warnings: missing.length,
  }))
  return printableJson({ total, issues: rows.length, results: rows.length === 0 ? null : rows }, 2)
}
