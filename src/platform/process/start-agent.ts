import { spawn } from 'node:child_process'
import { closeSync, constants, openSync, statSync } from 'node:fs'
import type { Proc } from '../../domain/run/run.ts'
import { AppError } from '../../errors.ts'
import { type StartOrder, StartUnanswered } from '../../ports/agents.ts'
import { explainFile } from '../files/files.ts'
import { exitFile } from './exit-file.ts'
import { findUnshare, inNamespace } from './namespace.ts'
import { bootId, MARKER, processTable } from './process-table.ts'
import { groupExists } from './run-group.ts'
import { wrapped } from './wrapper.ts'

/** How the leader of a run ended. */
export interface End {
  /** null: a signal ended it, or its exit is unknown. */
  readonly code: number | null
  /** The rest of the run when its leader was reaped: nothing, others of its group, or perhaps some elsewhere. */
  readonly left: 'nothing' | 'group' | 'perhaps'
}

export type Ended = (end: End) => void

/** With files instead of pipes: the agent outlives its supervisor, and a slow reader never blocks it. */
export function startAgent(order: StartOrder, ended: Ended): Proc {
  requireFolder(order.cwd)
  const pid = spawnDetached(order, ended)
  // Node reaps it after this turn of the event loop at the earliest, so it is in the table even if it has exited.
  return { pid, startTime: startTimeOf(pid), bootId: bootId() }
}

/** Without an answer the run is found again as an adopted one is: it has a process, and must not be started twice. */
function startTimeOf(pid: number): string {
  let why = 'it is not in the process table'
  try {
    const table = processTable()
    table.outdate()
    const startTime = table.entry(pid)?.startTime
    if (startTime !== undefined) return startTime
  } catch (error) {
    why = (error as Error).message
  }
  throw new StartUnanswered(`process ${pid} was started, but ${why}`)
}

function spawnDetached(order: StartOrder, ended: Ended): number {
  const [file = '', ...args] = argvOf(order)
  const opened: number[] = []
  const open = (what: keyof Files, flags: number): number => {
    const path = filesOf(order)[what] as string
    try {
      opened.push(openSync(path, flags, 0o600))
    } catch (error) {
      throw notStarted(order, { what, code: codeOf(error), cause: error })
    }
    return opened.at(-1) as number
  }
  try {
    const stdin = order.stdin === undefined ? 'ignore' : open('stdin', constants.O_RDONLY | constants.O_NONBLOCK)
    const stdout = open('stdout', OUTPUT)
    const stderr = open('stderr', OUTPUT)
    const child = spawn(file, args, {
      cwd: order.cwd,
      env: environmentOf(order),
      detached: true,
      stdio: [stdin, stdout, stderr],
    })
    // The missing pid says the same; without a listener Node would throw the error.
    child.on('error', () => {})
    if (child.pid === undefined) throw notStarted(order, {})
    const { pid } = child
    child.on('exit', (code) => ended({ code, left: groupExists(pid) ? 'group' : 'perhaps' }))
    child.unref()
    return child.pid
  } catch (error) {
    throw error instanceof AppError ? error : notStarted(order, { code: codeOf(error), cause: error })
  } finally {
    for (const each of opened) closeSync(each)
  }
}

/** Reading the umask changes it for a moment, so it is read only once. */
const UMASK = process.umask()

/** O_NONBLOCK: another agent may have put a pipe there, and opening it would wait. A file is not affected. */
export const OUTPUT =
  constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW | constants.O_NONBLOCK

export interface Files {
  readonly stdin: string | undefined
  readonly stdout: string
  readonly stderr: string
}

export function filesOf({ folder, stdin }: StartOrder): Files {
  return { stdin, stdout: `${folder}/stdout.jsonl`, stderr: `${folder}/stderr.log` }
}

export function environmentOf({ env, run }: StartOrder): Record<string, string> {
  return { ...env, [MARKER]: run }
}

export function wrappedArgv({ folder, program, args }: StartOrder): string[] {
  return wrapped({ exitFile: exitFile(folder), umask: UMASK, program, args })
}

/** With `unshare` around it if the order asks for a pid namespace. */
export function argvOf(order: StartOrder): string[] {
  const argv = wrappedArgv(order)
  if (!order.namespace) return argv
  const unshare = findUnshare()
  if (unshare === undefined)
    throw new AppError('unsupported', 'unshare is not on PATH, so there is no pid namespace', {
      hint: 'install util-linux',
    })
  return inNamespace(argv, unshare)
}

export function requireFolder(cwd: string): void {
  if (statSync(cwd, { throwIfNoEntry: false })?.isDirectory() !== true) throw noFolder(cwd)
}

function noFolder(cwd: string): AppError {
  return new AppError('not-found', `${cwd} is not a directory, so no agent can be started in it`, {
    hint: 'make it again, or give the task another one: fleet bd update <id> --cwd <path>',
  })
}

/** `what`: the file or directory that could not be opened or entered. Absent: no process could be made. */
interface Failure {
  readonly what?: string
  readonly code?: string | undefined
  readonly cause?: unknown
}

export function notStarted(order: StartOrder, { what, code, cause = { code } }: Failure): AppError {
  if (what === 'stdin' || what === 'stdout' || what === 'stderr') {
    const explained = explainFile(cause, filesOf(order)[what] as string)
    if (explained instanceof AppError) return explained
  }
  if (what === 'cwd' && (code === 'ENOENT' || code === 'ENOTDIR')) return noFolder(order.cwd)
  const why = code ?? 'no process or no open file is left, or its directory cannot be entered'
  return new AppError('failed', `no agent could be started (${order.program}): ${why}`, {
    hint: 'lower max_concurrent, or raise the limits (ulimit -u, ulimit -n)',
    cause,
  })
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code
}
