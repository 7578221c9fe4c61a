import { basename, dirname, join } from 'node:path'
import { failingPart, lastLines } from '../domain/verify/failing-part.ts'
import {
  type CommandEnd,
  type CommandTry,
  type VerifyCommand,
  verifyProcessId,
  verifyProcessNumber,
} from '../domain/verify/verification.ts'
import { AppError } from '../errors.ts'
import { makeNewFolder, readEnd, shorten } from '../platform/files/attempt-folder.ts'
import { makeRealFolder } from '../platform/files/tree-copy.ts'
import type { StartOrder } from '../ports/agents.ts'
import type { VerifyOrder } from '../ports/verifier.ts'
import type { VerifyProcess } from '../ports/verify-records.ts'
import { endAll } from './end-all.ts'
import { type Followed, follow, placeOf } from './follow-command.ts'
import type { VerifierParts } from './verifier.ts'

export interface Round {
  readonly order: Pick<VerifyOrder, 'subject' | 'task' | 'folder' | 'portBase'>
  readonly command: VerifyCommand
  readonly round: number
  readonly cwd: string
  /** A program in place of the shell that runs the command's line. Its stdout is a file of its own. */
  readonly start?: (process: { readonly id: string; readonly folder: string }) => ProgramStart
}

export type ProgramStart = Pick<StartOrder, 'cwd' | 'program' | 'args' | 'env' | 'stdin'>

/** A POSIX shell runs the user's line; the wrapper around every agent needs the same one. */
const SHELL = '/bin/sh'
const OUTPUT = 'output.log'
const STDOUT = 'stdout.jsonl'
/** The wrapper's own: not one instruction of the command was run. */
const NOT_BEGUN = 125
/** Enough of the output to find what failed. */
const LOOK_BACK = 4 << 20
const LAST_WORDS = 64 << 10
/** A flood repeats itself, and must not keep the disk full. */
const KEPT_OF_FLOOD = 1 << 20

/**
 * One try of a command, from the order to the last process of it. In the records first: a supervisor that dies at any moment
 * leaves a process that the next one finds, or a try that was never made.
 */
export async function runCommand(parts: VerifierParts, round: Round, signal: AbortSignal): Promise<CommandTry> {
  const { order } = round
  const known = knownOf(parts, round)
  const output = round.start === undefined ? OUTPUT : STDOUT
  if (known?.done) return tryOf(known, output)
  const adopted = known && (await adopt(parts, known))
  if (adopted === undefined) {
    // One with another line, or in another place, that an earlier supervisor began.
    await endRunning(parts, order.subject)
    if (signal.aborted) throw signal.reason
  }
  const followed = adopted ?? (await begin(parts, round))
  const { process, startedAt } = followed
  const end = await follow(parts, { followed, output: join(process.folder, output) }, signal)
  const leftovers = await endAll(parts.agents, placeOf(process), followed.left)
  if (end === undefined) {
    parts.records.forget(process.id)
    throw signal.reason
  }
  if (!hasBegun(parts, process)) {
    parts.records.forget(process.id)
    throw new AppError('failed', `${process.command} could not be started: its wrapper could not begin`, {
      hint: 'the disk may be full, or no process may be left',
    })
  }
  const passed = end.kind === 'exited' && end.code === 0
  const text = parts.environment.redact(readEnd(join(process.folder, output), passed ? LAST_WORDS : LOOK_BACK) ?? '')
  const failing = passed ? '' : failingPart(text)
  if (end.kind === 'flooded' || end.kind === 'disk-full') shorten(join(process.folder, output), KEPT_OF_FLOOD)
  const ms = Math.round(performance.now() - startedAt)
  const done = { end, ms, failing, tail: lastLines(text), leftovers }
  parts.records.ended(process, done)
  const { name: command } = process
  const exit = end.kind === 'exited' ? end.code : undefined
  parts.log('command-verified', { task: order.task, run: order.subject, command, end: end.kind, exit, ms })
  return tryOf({ ...process, done }, output)
}

function hasBegun({ agents }: VerifierParts, process: VerifyProcess): boolean {
  const place = placeOf(process)
  if (agents.exitOf(place) !== NOT_BEGUN) return true
  return agents.hasBegun(place) && agents.look(place).kind !== 'never-started'
}

/** For a command whose end matters to nobody any more: no try was made. */
export async function endRunning(parts: VerifierParts, subject: string): Promise<void> {
  for (;;) {
    const running = parts.records.runningOf(subject)
    if (running === undefined) return
    const followed = await adopt(parts, running)
    if (followed === undefined) continue
    const { process } = followed
    await follow(parts, { followed, output: join(process.folder, OUTPUT) }, AbortSignal.abort())
    await endAll(parts.agents, placeOf(process), followed.left)
    parts.records.forget(process.id)
  }
}

/** Its tries count no more: the next verification of this subject begins anew. */
export function forgetTries({ records }: Pick<VerifierParts, 'records'>, subject: string): void {
  for (const { id, done } of records.of(subject)) if (done !== null) records.forget(id)
}

/** A try of another line, or in another place, is no try of this command. */
function knownOf({ records }: VerifierParts, { order, command, round, cwd }: Round): VerifyProcess | undefined {
  return records
    .of(order.subject)
    .find(
      (each) =>
        each.name === command.name && each.command === command.command && each.round === round && each.cwd === cwd,
    )
}

async function begin(parts: VerifierParts, { order, command, round, cwd, start }: Round): Promise<Followed> {
  const { records, agents, environment } = parts
  const number = 1 + Math.max(0, ...records.of(order.subject).map(({ id }) => verifyProcessNumber(id)))
  const folder = join(order.folder, `${number}-${folderName(command.name)}`)
  const id = verifyProcessId(order.subject, number)
  const process = { id, subject: order.subject, ...command, round, folder, cwd, startedAt: Date.now() }
  const attempt = dirname(order.folder)
  makeRealFolder(dirname(attempt), join(basename(attempt), basename(order.folder)))
  makeNewFolder(folder)
  records.begin(process)
  const gone = new AbortController()
  const followed: Followed = {
    process: { ...process, proc: null, done: null },
    startedAt: performance.now(),
    exits: 'reported',
    left: 'perhaps',
    ended: gone.signal,
  }
  const shell = {
    program: SHELL,
    args: ['-c', command.command],
    cwd,
    env: environment.ofProject({ id, task: order.task, portBase: order.portBase }),
    stdin: undefined,
    printsTo: OUTPUT,
  }
  const started = {
    run: id,
    folder,
    ...(start === undefined ? shell : start({ id, folder })),
    namespace: parts.namespace(),
  }
  const proc = await agents.start(started, () => {
    if (agents.leftNothing(placeOf(followed.process))) followed.left = 'nothing'
    followed.exits = 'polled'
    gone.abort()
  })
  followed.process = { ...followed.process, proc }
  records.started(id, proc)
  return followed
}

/** undefined: it was never started, and never will be. */
async function adopt(parts: VerifierParts, process: VerifyProcess): Promise<Followed | undefined> {
  const { agents, records } = parts
  const sighting = agents.look(placeOf(process))
  if (sighting.kind === 'never-started') {
    if (!agents.forbidStart(placeOf(process))) return await adopt(parts, process)
    records.forget(process.id)
    return undefined
  }
  const proc = (sighting.kind === 'alive' ? sighting.proc : undefined) ?? process.proc
  if (process.proc === null && proc !== null) records.started(process.id, proc)
  const age = proc === null ? undefined : agents.ageOf(proc)
  const startedAt = performance.now() - (age ?? Math.max(0, Date.now() - process.startedAt))
  return { process: { ...process, proc }, startedAt, exits: 'polled', left: 'perhaps', ended: NEVER }
}

function folderName(name: string): string {
  return name.replace(/[^A-Za-z0-9._-]+/g, '-').slice(0, 40)
}

function tryOf({ name, command, folder, done }: VerifyProcess, output: string): CommandTry {
  const { end, ms, failing, tail = '', leftovers } = done ?? { end: LOST, ms: 0, failing: '', leftovers: 0 }
  return { name, command, end, ms, failing, tail, log: join(folder, output), leftovers }
}

const LOST: CommandEnd = { kind: 'lost' }

/** The end of an adopted command is not reported. */
const NEVER = new AbortController().signal
