import { nearest } from '../../domain/text/nearest.ts'
import { AppError } from '../../errors.ts'
import type { Home } from '../../platform/files/home.ts'
import { writeBytes } from '../../platform/terminal/output.ts'
import { terminal } from '../../platform/terminal/terminal.ts'
import { locateDiff } from '../../views/diff/diff-place.ts'
import { taskFileJson } from '../../views/json/task-file.ts'
import { transcriptJson } from '../../views/json/transcript.ts'
import { receiptInLedger } from '../../views/receipt.ts'
import { redaction } from '../../views/redaction.ts'
import { runsUnderWay } from '../../views/supervisor.ts'
import { attemptsOf, exists, isOfAttempt, locateTaskFile, missingFile, taskFileText } from '../../views/task-file.ts'
import { READINGS, TASK_FILES, type TaskFile, type TaskFileName } from '../../views/task-files.ts'
import { ToolOutputs } from '../../views/tool-outputs.ts'
import { transcript } from '../../views/transcript.ts'
import type { Call, Command } from '../command.ts'
import { showDiff } from '../follow/show-diff.ts'
import { followFile, type Showing, showFile } from '../follow/show-file.ts'
import { eventLines } from '../render/events.ts'
import { painted } from '../render/painted.ts'
import { receiptLines } from '../render/receipt/receipt.ts'
import { transcriptLines } from '../render/transcript.ts'
import { DECISIONS, type DecisionName, decideTaskEdit, isDecision } from './task-decide.ts'

const NAMES = [...Object.keys(TASK_FILES), ...Object.keys(READINGS), ...Object.keys(DECISIONS)]

export const task: Command = {
  name: 'task',
  summary: 'read what a task and its agents wrote: log, plan, events, diff and more',
  usage: `<id> ${NAMES.join('|')} [-f] [--attempt N] [--raw] [--json]`,
  about: `One file of a task: readable on a terminal, as it is for a program.

${[
  ...Object.entries(TASK_FILES).map(([name, { about }]) => [name, about]),
  ...Object.entries(READINGS),
  ...Object.entries(DECISIONS),
]
  .map(([name, about]) => `  ${name?.padEnd(12)}${about}`)
  .join('\n')}

Files of an attempt are those of the newest one unless --attempt says which.`,
  examples: [
    'fleet task fleet-a1b events -f',
    'fleet task a1b transcript | less',
    'fleet task a1b receipt --attempt 1',
    'fleet task a1b diff | less',
  ],
  flags: [
    { name: 'follow', short: 'f', kind: 'switch', help: 'keep printing new lines, also those of the next attempt' },
    { name: 'attempt', kind: 'number', least: 1, help: 'which attempt, from 1; the newest otherwise' },
    {
      name: 'raw',
      kind: 'switch',
      help: 'on a terminal as it is in the file: a journal (events, log) with every event, the receipt as JSON',
    },
    { name: 'json', kind: 'switch', help: 'one JSON document: task, file, path and text; the turns; the diff' },
  ],
  helpHere: runningHere,
  async run(call) {
    const { home, flags, args } = call
    const { text, name } = asked(args)
    if (isDecision(name)) return await decideTaskEdit(call, text, name)
    const attempt = flags.number('attempt')
    if (isReading(name)) {
      if (flags.on('follow'))
        throw new AppError('usage', `fleet task ${name} takes no -f`, { hint: 'events -f follows' })
      if (name === 'transcript') return await showTranscript(call, { task: text, attempt })
      return await showDiff(call, await locateDiff(home, { task: text, attempt }))
    }
    const file: TaskFile = TASK_FILES[name]
    if (attempt !== undefined && file.of === 'task' && name !== 'events') {
      throw new AppError('usage', `fleet task ${name} is one file of all attempts: leave out --attempt`)
    }
    if (name === 'receipt' && !flags.on('follow') && (await showReceipt(call, { task: text, attempt }))) return
    const located = await locateTaskFile(home, { task: text, name, attempt, mayBeMissing: flags.on('follow') })
    if (flags.on('json')) {
      const file = taskFileText(located)
      return call.answer(taskFileJson({ ...file, text: (await redaction(home, call.env))(file.text) }))
    }
    const showing = {
      journal: file.journal === true && !flags.on('raw'),
      ...(name === 'events' && !flags.on('raw') ? { lines: await readableEvents(call, located.task) } : {}),
      ...(attempt !== undefined && name === 'events' ? { only: (line: string) => isOfAttempt(line, attempt) } : {}),
    }
    const path = located.path()
    if (!flags.on('follow')) {
      if ((await showFile(call, path, showing)) === undefined) throw missingFile(located)
      return
    }
    if (!exists(path)) call.warn(`${path} does not exist yet: ${file.made}; waiting for it`)
    await followFile(call, located.path, {
      ...showing,
      opened: (opened) => call.warn(`==> ${opened.path} <==`),
    })
  },
}

/** Readings of an attempt that are no file. */
type Reading = keyof typeof READINGS

function isReading(name: string): name is Reading {
  return Object.hasOwn(READINGS, name)
}

/** false: the ledger has none, and the file has to do. */
async function showReceipt(call: Call, wish: { task: string; attempt: number | undefined }): Promise<boolean> {
  const receipt = await receiptInLedger(call.home, wish)
  if (receipt === undefined) return false
  const { path, file, text } = receipt
  const became = file === 'gone' ? 'is gone' : 'was altered after fleet wrote it'
  const screen = terminal(call.env)
  if (file !== undefined) call.warn(`${path} ${became}; this is what the ledger has`)
  if (call.flags.on('json')) call.answer({ ...taskFileJson(receipt), ...(file !== undefined && { altered: true }) })
  else if (screen === undefined) writeBytes(Buffer.from(text))
  else if (call.flags.on('raw')) for (const line of text.trimEnd().split('\n')) call.print(line)
  else call.show(painted(receiptLines({ ...receipt, now: Date.now() }, screen), screen))
  return true
}

async function readableEvents(call: Call, id: string): Promise<NonNullable<Showing['lines']>> {
  if (terminal(call.env) === undefined) return () => []
  const outputs = new ToolOutputs(call.home, { task: id, env: call.env })
  await outputs.prepare(attemptsOf(call.home.task(id)))
  return (line, { columns }) =>
    eventLines(line, { now: Date.now(), width: columns, output: (ended) => outputs.of(ended) })
}

async function showTranscript(call: Call, wish: { task: string; attempt: number | undefined }): Promise<void> {
  const read = await transcript(call.home, { ...wish, env: call.env })
  if (call.flags.on('json')) return call.answer(transcriptJson(read))
  const screen = terminal(call.env)
  const lines = transcriptLines(read, { now: Date.now(), ...(screen === undefined ? {} : { width: screen.columns }) })
  call.show(painted(lines, screen ?? { colour: false }))
}

function asked([text, name, more]: readonly string[]): { text: string; name: TaskFileName | Reading | DecisionName } {
  const hint = `fleet task <id> ${NAMES.join('|')}`
  if (text === undefined || name === undefined || more !== undefined) {
    throw new AppError('usage', 'fleet task takes a task id and what to read of it', { hint })
  }
  if (NAMES.includes(name)) return { text, name: name as TaskFileName | Reading | DecisionName }
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
