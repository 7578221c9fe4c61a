import { resolve } from 'node:path'
import type { Dependency } from '../../../domain/task/dependency.ts'
import { lineOf, memoryLine } from '../../../domain/task/interchange.ts'
import { printableJson } from '../../../domain/text/plain.ts'
import { replaceFile } from '../../../platform/files/files.ts'
import type { ListedTask, TaskQuery } from '../../../ports/task-store.ts'
import { allMemories } from '../beside/memories.ts'
import { type BdCall, type BdCommand, BdFailure } from '../command.ts'

/** Record types for agent coordination, not tasks. */
const INFRASTRUCTURE = ['agent', 'role', 'message']

export const exportTasks: BdCommand = {
  name: 'export',
  summary: 'Export issues to JSONL format',
  usage: '[flags]',
  about: `Write every task as one line of JSON, with its labels, dependencies and comments, in a stable order.

Left out unless --all is given: memories, templates, ephemeral tasks, and infrastructure (agents, roles, messages).`,
  examples: ['fleet bd export -o tasks.jsonl', 'fleet bd export --all | gzip > all.jsonl.gz'],
  flags: [
    { name: 'output', short: 'o', kind: 'text', help: 'Output file path (default: stdout)' },
    { name: 'all', kind: 'switch', help: 'Include all records (infrastructure, templates, ephemeral)' },
    { name: 'include-infra', kind: 'switch', help: 'Include infrastructure records (agents, roles, messages)' },
    {
      name: 'include-memories',
      kind: 'switch',
      help: 'Include the memories (they may hold what is not for everybody)',
    },
    { name: 'no-memories', kind: 'switch', help: 'Leave the memories out, also with --all', hidden: true },
    { name: 'scrub', kind: 'switch', help: 'Exclude test/pollution records' },
    { name: 'exclude-owner', kind: 'many', help: 'Exclude tasks created by this identity (repeatable)' },
    { name: 'verbose', kind: 'switch', help: 'Print filtered issue count when owners are excluded' },
  ],
  reads: true,
  async run(call) {
    const output = call.flags.text('output') ?? ''
    if (output === '') {
      await writeLines(call, (chunk) => call.print(chunk))
      await writeMemories(call, (line) => call.print(line))
      return
    }
    const path = resolve(call.cwd, output)
    const own = call.home.ownFileAt(path)
    if (own !== undefined)
      throw new BdFailure(`${output} is ${own}`, { hint: 'nothing was written; name another file' })
    using file = replaceFile(path, 0o644)
    const { written, filtered } = await writeLines(call, (chunk) => file.write(`${chunk}\n`))
    const memories = await writeMemories(call, (line) => file.write(`${line}\n`))
    file.commit()
    call.warn(`Exported ${written} issues${memories === 0 ? '' : ` and ${memories} memories`} to ${output}`)
    if (call.flags.on('verbose') && filtered > 0) call.warn(`  (${filtered} filtered as personal by owner exclusion)`)
  },
}

/** Tasks per batch, which bounds memory. */
const AT_ONCE = 500

/** The order of bd's own export, so that a file kept in git changes only where tasks do. */
async function writeLines(
  call: BdCall,
  write: (chunk: string) => void,
): Promise<{ written: number; filtered: number }> {
  const strangers = new Set(call.flags.all('exclude-owner').filter((owner) => owner !== ''))
  let filtered = 0
  let written = 0
  let batch: ListedTask[] = []
  const flush = async (): Promise<void> => {
    if (batch.length > 0) write((await linesOf(call, batch)).join('\n'))
    written += batch.length
    batch = []
  }
  for await (const task of call.store.find(queryOf(call))) {
    if (call.flags.on('scrub') && POLLUTION.test(task.title)) continue
    if (strangers.has(task.created_by)) {
      filtered++
      continue
    }
    if (batch.push(task) === AT_ONCE) await flush()
  }
  await flush()
  return { written, filtered }
}

/** As in bd, only where they are asked for. Returns how many there were. */
async function writeMemories(call: BdCall, write: (line: string) => void): Promise<number> {
  const { flags } = call
  if (flags.on('no-memories') || !(flags.on('include-memories') || flags.on('all'))) return 0
  const memories = await allMemories(call)
  for (const [key, value] of memories) write(printableJson(memoryLine(key, value)))
  return memories.size
}

const POLLUTION = /^(test|benchmark|sample|tmp|temp|debug|dummy)[-_\s]/i

function queryOf({ flags }: BdCall): TaskQuery {
  const all = flags.on('all')
  return {
    sort: 'priority',
    ...(all || flags.on('include-infra') ? {} : { notTypes: INFRASTRUCTURE }),
    ...(all ? {} : { template: false, ephemeral: false }),
  }
}

async function linesOf(call: BdCall, tasks: readonly ListedTask[]): Promise<string[]> {
  const edges = new Map<string, Dependency[]>(tasks.map((task) => [task.id, []]))
  for (const edge of await call.store.edges([...edges.keys()], 'down')) edges.get(edge.issue_id)?.push(edge)
  const lines: string[] = []
  for (const task of tasks) {
    const dependencies = (edges.get(task.id) ?? []).sort((a, b) => (a.depends_on_id < b.depends_on_id ? -1 : 1))
    const comments = task.comment_count === 0 ? [] : await call.store.comments(task.id)
    lines.push(printableJson(lineOf({ ...task, dependencies, comments }, task)))
  }
  return lines
}
