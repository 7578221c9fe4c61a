import { nearest } from '../../domain/text/nearest.ts'
import { AppError } from '../../errors.ts'
import type { Home } from '../../platform/files/home.ts'
import { taskFileJson } from '../../views/json/task-file.ts'
import { runsUnderWay } from '../../views/supervisor.ts'
import { exists, isOfAttempt, locateDiff, locateTaskFile, missingFile, taskFileText } from '../../views/task-file.ts'
import { TASK_FILES, type TaskFile, type TaskFileName } from '../../views/task-files.ts'
import type { Command } from '../command.ts'
import { showDiff } from '../follow/show-diff.ts'
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
    { name: 'follow', short: 'f', kind: 'switch', help: 'keep printing new lines, also those of the next attempt' },
    { name: 'attempt', kind: 'number', least: 1, help: 'which attempt, from 1; the newest otherwise' },
    { name: 'json', kind: 'switch', help: 'one JSON document: task, file, path and text' },
  ],
  helpHere: runningHere,
  async run(call) {
    const { home, flags, args } = call
    const { text, name } = asked(args)
    const attempt = flags.number('attempt')
    if (name === 'diff') {
      if (flags.on('follow') || flags.on('json'))
        throw new AppError('usage', 'fleet task diff takes no -f and no --json')
      return await showDiff(call, await locateDiff(home, { task: text, attempt }))
    }
    const file: TaskFile = TASK_FILES[name]
    if (attempt !== undefined && file.of === 'task' && name !== 'events') {
      throw new AppError('usage', `fleet task ${name} is one file of all attempts: leave out --attempt`)
    }
    const located = await locateTaskFile(home, { task: text, name, attempt, mayBeMissing: flags.on('follow') })
    if (flags.on('json')) return call.answer(taskFileJson(taskFileText(located)))
    const showing = {
      journal: file.journal === true,
      ...(attempt !== undefined && name === 'events' ? { only: (line: string) => isOfAttempt(line, attempt) } : {}),
    }
    const path = located.path()
    if (!flags.on('follow')) {
      if (showFile(call, path, showing) === undefined) throw missingFile(located)
      return
    }
    if (!exists(path)) call.warn(`${path} does not exist yet: ${file.made}; waiting for it`)
    await followFile(call, located.path, {
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

/** For `--help`; a home without a ledger has no running tasks. */
function runningHere(home: Home): string {
  try {
    const runs = runsUnderWay(home)
    if (runs.length === 0) return '\nNothing is running.\n'
    const lines = runs.map((run) => `  ${run.task}  [${run.coder}${run.model === null ? '' : `/${run.model}`}]`)
    return `\nRunning:\n${lines.join('\n')}\n`
  } catch (error) {
    if (error instanceof AppError) return ''
    throw error
  }
}
