import { join } from 'node:path'
import { openLedger, openQueue } from '../../app.ts'
import { nearest } from '../../domain/text/nearest.ts'
import { AppError } from '../../errors.ts'
import { readText } from '../../platform/files/files.ts'
import { entryAt, namesIn } from '../../platform/files/folder.ts'
import type { Home } from '../../platform/files/home.ts'
import { showDiff } from '../../views/diff.ts'
import { findTask } from '../../views/find-task.ts'
import { attemptFolder, attemptsIn, TASK_FILES, type TaskFile, type TaskFileName } from '../../views/task-files.ts'
import type { Call, Command } from '../command.ts'
import { followFile, showFile } from '../follow/show-file.ts'

const NAMES = [...Object.keys(TASK_FILES), 'diff']

export const task: Command = {
  name: 'task',
  summary: 'read what a task and its agents wrote: log, plan, events, diff and more',
  usage: `<id> ${NAMES.join('|')} [-f] [--attempt N]`,
  about: `One file of a task: readable on a terminal, as it is for a program.

${Object.entries(TASK_FILES)
  .map(([name, { about }]) => `  ${name.padEnd(11)}${about}`)
  .join('\n')}
  ${'diff'.padEnd(11)}what is different in the checkout since before the first attempt

Files of an attempt are those of the newest one unless --attempt says which.`,
  examples: ['fleet task fleet-a1b events -f', 'fleet task a1b receipt --attempt 1', 'fleet task a1b diff | less'],
  flags: [
    { name: 'follow', short: 'f', kind: 'switch', help: 'go on with what comes, also into the next attempt' },
    { name: 'attempt', kind: 'number', least: 1, help: 'which attempt, from 1; the newest otherwise' },
    { name: 'json', kind: 'switch', help: 'one JSON document: task, file, path and text' },
  ],
  helpHere: runningHere,
  async run(call) {
    const { home, flags, args } = call
    const { text, name } = asked(args)
    const attempt = flags.number('attempt')
    await using store = await openQueue(home, { readOnly: true })
    const { id } = await findTask(store, text)
    const folder = home.task(id)
    if (name === 'diff') {
      if (flags.on('follow') || flags.on('json'))
        throw new AppError('usage', 'fleet task diff takes no -f and no --json')
      mustHave(id, name, { attempt, attempts: attemptsOf(folder) })
      return await showDiff(call, attemptFolder(folder, attempt ?? attemptsOf(folder)[0] ?? 1))
    }
    const file: TaskFile = TASK_FILES[name]
    if (attempt !== undefined && file.of === 'task' && name !== 'events') {
      throw new AppError('usage', `fleet task ${name} is one file of all attempts: leave out --attempt`)
    }
    // What is followed may be yet to come.
    if ((file.of === 'attempt' || attempt !== undefined) && !flags.on('follow'))
      mustHave(id, name, { attempt, attempts: attemptsOf(folder) })
    const path = () => pathOf(folder, file, attempt)
    if (flags.on('json')) return answerFile(call, { id, name, path: path() })
    const showing = {
      journal: file.journal === true,
      ...(attempt !== undefined && name === 'events' ? { only: ofAttempt(attempt) } : {}),
    }
    if (!flags.on('follow')) {
      if (showFile(call, path(), showing) === undefined) throw missing(id, name, path())
      return
    }
    if (entryAt(path()) === undefined) call.warn(`${path()} is not there yet: ${file.made}; waiting for it`)
    await followFile(call, path, {
      ...showing,
      opened: (opened) => call.warn(`==> ${opened.path} <==`),
    })
  },
}

function asked([text, name, more]: readonly string[]): { text: string; name: TaskFileName | 'diff' } {
  const hint = `fleet task <id> ${NAMES.join('|')}`
  if (text === undefined || name === undefined || more !== undefined) {
    throw new AppError('usage', 'fleet task takes a task id and what to read of it', { hint })
  }
  if (NAMES.includes(name)) return { text, name: name as TaskFileName | 'diff' }
  const [near] = nearest(name, NAMES, 1)
  throw new AppError('usage', `fleet task does not know ${JSON.stringify(name)}`, {
    hint: near === undefined ? hint : `did you mean ${near}? (${hint})`,
  })
}

interface Wanted {
  /** undefined: any. */
  readonly attempt: number | undefined
  /** Those there are. */
  readonly attempts: readonly number[]
}

function mustHave(id: string, name: string, { attempt, attempts }: Wanted): void {
  if (attempts.length === 0) {
    throw new AppError('not-found', `${id} was never started, so it has no ${name}`, {
      hint: `fleet show ${id} says why it is not running`,
    })
  }
  if (attempt === undefined || attempts.includes(attempt)) return
  throw new AppError('not-found', `${id} has no attempt ${attempt}`, {
    hint: attempts.length === 1 ? `there is only attempt ${attempts[0]}` : `there are attempts ${attempts.join(', ')}`,
  })
}

/** Looked up anew each time: while it is followed, a new attempt may begin. */
function pathOf(folder: string, file: TaskFile, attempt: number | undefined): string {
  if (file.of === 'task') return join(folder, file.path)
  return join(attemptFolder(folder, attempt ?? attemptsOf(folder).at(-1) ?? 1), file.path)
}

function attemptsOf(folder: string): number[] {
  return attemptsIn(namesIn(join(folder, 'attempts')))
}

function ofAttempt(attempt: number): (line: string) => boolean {
  return (line) => {
    try {
      return (JSON.parse(line) as { attempt?: unknown } | null)?.attempt === attempt
    } catch {
      return false
    }
  }
}

function answerFile(call: Call, { id, name, path }: { id: string; name: TaskFileName; path: string }): void {
  const text = readText(path)
  if (text === undefined) throw missing(id, name, path)
  call.answer({ schema_version: 1, task: id, file: name, path, text })
}

function missing(id: string, name: TaskFileName, path: string): AppError {
  return new AppError('not-found', `${id} has no ${name}: ${path} is not there`, { hint: TASK_FILES[name].made })
}

/** For `--help`; a home without a ledger has nothing running. */
function runningHere(home: Home): string {
  try {
    using ledger = openLedger(home, { readOnly: true })
    const runs = ledger.openRuns()
    if (runs.length === 0) return '\nNothing is running.\n'
    const lines = runs.map((run) => `  ${run.task}  [${run.coder}${run.model === null ? '' : `/${run.model}`}]`)
    return `\nRunning:\n${lines.join('\n')}\n`
  } catch (error) {
    if (error instanceof AppError) return ''
    throw error
  }
}
