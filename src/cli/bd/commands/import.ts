import { MEMORY_PREFIX } from '../../../domain/queue/value-keys.ts'
import { recordOf, type TaskRecord } from '../../../domain/task/interchange.ts'
import { rfc3339 } from '../../../domain/task/time.ts'
import { importJson, importLines } from '../../render/import.ts'
import { type BdCall, type BdCommand, BdFailure } from '../command.ts'

export const importTasks: BdCommand = {
  name: 'import',
  summary: 'Import issues from a JSONL file or stdin into the database',
  usage: '[file|-] [flags]',
  about: `Read tasks from JSON lines as export writes them: new ones are created, known ones brought up to date.

A line that is older than the task here (by updated_at) is skipped whole, unless --allow-stale. One of the same age adds
its labels, comments and dependencies; only a newer one rewrites the task. Nothing is ever deleted. If any line is wrong, nothing is imported. Only a title is required.`,
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
    const now = rfc3339(call.now.getTime())
    const memories = check(text, source, now)
    const titles = call.flags.on('dedup') ? await openTitles(call) : undefined
    let duplicates = 0
    function* wanted(): Iterable<TaskRecord> {
      for (const record of recordsIn(text, now)) {
        if (titles?.has(record.title.toLowerCase()) === true) duplicates++
        else yield record
      }
    }
    const dryRun = call.flags.on('dry-run')
    const how = { dryRun, allowStale: call.flags.on('allow-stale'), values: memories }
    const report = await call.store.import(wanted(), how, call.actor)
    const outcome = { source, dryRun, report, duplicates, memories: memories.size }
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
    // Some editors write a byte order mark.
    return call.readInput(path).replace(/^\ufeff/, '')
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') throw new BdFailure(`cannot read ${path}: stat ${path}: no such file or directory`)
    throw new BdFailure(`cannot read ${path}: ${code === 'EISDIR' ? 'is a directory' : message}`)
  }
}

/** The most errors that one import reports. */
const TOLD = 10

/**
 * Reads every line twice: first to report all errors before anything is written, then to import one record at a time,
 * so that memory stays bounded. Returns the memories, by the key they are kept under.
 */
function check(text: string, source: string, now: string): ReadonlyMap<string, string> {
  const mistakes: string[] = []
  const memories = new Map<string, string>()
  let wrong = 0
  for (const { line, number } of linesOf(text)) {
    const read = recordOf(line, now)
    if (read.kind === 'wrong' && ++wrong <= TOLD) mistakes.push(`line ${number}: ${read.why}`)
    if (read.kind === 'memory') memories.set(`${MEMORY_PREFIX}${read.key}`, read.value)
  }
  if (wrong === 0) return memories
  if (wrong > TOLD) mistakes.push(`and ${wrong - TOLD} more`)
  throw new BdFailure(`import failed, nothing was imported from ${source}:\n  ${mistakes.join('\n  ')}`)
}

function* recordsIn(text: string, now: string): Iterable<TaskRecord> {
  for (const { line } of linesOf(text)) {
    const read = recordOf(line, now)
    if (read.kind === 'record') yield read.record
  }
}

function* linesOf(text: string): Iterable<{ line: string; number: number }> {
  let number = 0
  for (let start = 0; start < text.length; ) {
    const found = text.indexOf('\n', start)
    const end = found === -1 ? text.length : found
    const line = text.slice(start, end)
    number++
    if (line.trim() !== '') yield { line, number }
    start = end + 1
  }
}

async function openTitles(call: BdCall): Promise<Set<string>> {
  const titles = new Set<string>()
  for await (const task of call.store.find({ notStatuses: ['closed'] })) titles.add(task.title.toLowerCase())
  return titles
}
