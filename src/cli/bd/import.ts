import { recordOf, type TaskRecord } from '../../domain/interchange.ts'
import { rfc3339 } from '../../domain/time.ts'
import { importJson, importLines } from '../render/import.ts'
import { type BdCall, type BdCommand, BdFailure } from './command.ts'

export const importTasks: BdCommand = {
  name: 'import',
  summary: 'Import issues from a JSONL file or stdin into the database',
  usage: '[file|-] [flags]',
  about: `Read tasks from JSON lines as export writes them: new ones are created, known ones brought up to date.

A line rewrites a task only when its updated_at is newer; labels, comments and dependencies are added in any case, and
nothing is ever deleted. If any line is wrong, nothing is imported. Only a title is required.`,
  examples: ['fleet bd import backup.jsonl', 'bd export | fleet bd import -', 'fleet bd import --dry-run tasks.jsonl'],
  flags: [
    { name: 'input', short: 'i', kind: 'text', help: 'Read JSONL from a specific file' },
    { name: 'dry-run', kind: 'switch', help: 'Show what would be imported without importing' },
    { name: 'dedup', kind: 'switch', help: 'Skip lines whose title matches an existing open issue' },
    { name: 'allow-stale', kind: 'switch', help: 'Import rows even when older than the local issue' },
  ],
  async run(call) {
    const path = pathOf(call)
    const source = path === '-' ? 'stdin' : path
    const text = textOf(call, path)
    if (text === '' && path !== '-' && !call.json) return call.warn(`Empty file: ${path}`)
    const { records, memories } = recordsIn(text, source, rfc3339(call.now.getTime()))
    const kept = call.flags.on('dedup') ? await withoutKnownTitles(call, records) : records
    const dryRun = call.flags.on('dry-run')
    const report = await call.store.import(kept, { dryRun, allowStale: call.flags.on('allow-stale') }, call.actor)
    const outcome = {
      source,
      dryRun,
      report,
      duplicates: records.length - kept.length,
      given: new Set(kept.map((record) => record.id)),
    }
    if (memories > 0) call.warn(`warning: ${memories} memories left out: fleet keeps none`)
    if (call.json) return call.answer(importJson(outcome))
    for (const line of importLines(outcome)) call.warn(line)
  },
}

function pathOf({ args, flags }: BdCall): string {
  const input = flags.text('input') ?? ''
  if (input !== '' && args.length > 0) throw new BdFailure('use either --input or a positional file, not both')
  const path = input || args[0]
  if (path === undefined || path === '') {
    throw new BdFailure('no file to import', {
      hint: "name a file, or '-' for standard input: fleet bd import tasks.jsonl",
    })
  }
  return path
}

function textOf(call: BdCall, path: string): string {
  try {
    return call.readInput(path)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') throw new BdFailure(`cannot read ${path}: stat ${path}: no such file or directory`)
    throw new BdFailure(`cannot read ${path}: ${code === 'EISDIR' ? 'is a directory' : message}`)
  }
}

/** The most mistakes that are told at once. */
const TOLD = 10

function recordsIn(text: string, source: string, now: string): { records: TaskRecord[]; memories: number } {
  const records: TaskRecord[] = []
  const mistakes: string[] = []
  let memories = 0
  text.split('\n').forEach((line, i) => {
    if (line.trim() === '') return
    const read = recordOf(line, now)
    if (read.kind === 'record') records.push(read.record)
    else if (read.kind === 'wrong') mistakes.push(`line ${i + 1}: ${read.why}`)
    else if (read.what === 'memory') memories++
  })
  if (mistakes.length === 0) return { records, memories }
  const more = mistakes.length > TOLD ? `\n  and ${mistakes.length - TOLD} more` : ''
  throw new BdFailure(
    `import failed, nothing was imported from ${source}:\n  ${mistakes.slice(0, TOLD).join('\n  ')}${more}`,
  )
}

async function withoutKnownTitles(call: BdCall, records: readonly TaskRecord[]): Promise<TaskRecord[]> {
  const wanted = new Set(records.map((record) => record.title.toLowerCase()))
  const known = new Set<string>()
  for await (const task of call.store.find({ notStatuses: ['closed'] })) {
    const title = task.title.toLowerCase()
    if (wanted.has(title)) known.add(title)
  }
  return records.filter((record) => !known.has(record.title.toLowerCase()))
}
