import { spawn } from 'node:child_process'
import { accessSync, closeSync, constants, fstatSync, openSync, statSync } from 'node:fs'
import type { BeginTrouble } from '../../domain/run/machine-trouble.ts'
import { AppError } from '../../errors.ts'
import { type Started, type StartOrder, StartUnanswered } from '../../ports/agents.ts'
import { explainFile } from '../files/files.ts'
import { type ExitKeys, exitFile, keysLine } from './exit-file.ts'
import { closeInheritedDescriptors } from './inherited-descriptors.ts'
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
export function startAgent(order: KeyedOrder, ended: Ended): Started {
  requireFolder(order.cwd)
  const { pid, output } = spawnDetached(order, ended)
  // Node reaps it after this turn of the event loop at the earliest, so it is in the table even if it has exited.
  return { pid, startTime: startTimeOf(pid), bootId: bootId(), output }
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

function spawnDetached(order: KeyedOrder, ended: Ended): { pid: number; output: string } {
  const [file = '', ...args] = argvOf(order)
  closeInheritedDescriptors()
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
    // The wrapper opens it, and would wait for a pipe; trouble with it is told here.
    if (order.stdin !== undefined && !fstatSync(open('stdin', constants.O_RDONLY | constants.O_NONBLOCK)).isFile())
      throw notStarted(order, { what: 'stdin', code: 'EINVAL' })
    const stdout = open('stdout', OUTPUT)
    const stderr = open('stderr', OUTPUT)
    const { dev, ino } = fstatSync(stdout, { bigint: true })
    const output = `${dev}:${ino}`
    const child = spawn(file, args, {
      cwd: order.cwd,
      env: environmentOf(order),
      detached: true,
      stdio: ['pipe', stdout, stderr],
    })
    // The missing pid says the same; without a listener Node would throw the error.
    child.on('error', () => {})
    if (child.pid === undefined) throw notStarted(order, { what: canEnter(order.cwd) ? 'fork' : 'cwd' })
    const { pid } = child
    child.stdin?.on('error', () => {}).end(keysLine(order.keys))
    child.on('exit', (code) => ended({ code, left: groupExists(pid) ? 'group' : 'perhaps' }))
    child.unref()
    return { pid, output }
  } catch (error) {
    throw error instanceof AppError ? error : notStarted(order, { what: 'fork', code: codeOf(error) })
  } finally {
    for (const each of opened) closeSync(each)
  }
}

/** Reading the umask changes it for a moment, so it is read only once. */
const UMASK = process.umask()

/** O_NONBLOCK: another agent may have put a pipe there, and opening it would wait. A file is not affected. */
export const OUTPUT =
  constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW | constants.O_NONBLOCK

/** An order with the keys of the exit file that only its wrapper gets. */
export interface KeyedOrder extends StartOrder {
  readonly keys?: ExitKeys | undefined
}

export interface Files {
  readonly stdin: string | undefined
  readonly stdout: string
  readonly stderr: string
}

export function filesOf({ folder, stdin, printsTo }: StartOrder): Files {
  return { stdin, stdout: `${folder}/${printsTo ?? 'stdout.jsonl'}`, stderr: `${folder}/${printsTo ?? 'stderr.log'}` }
}

export function environmentOf({ env, run }: StartOrder): Record<string, string> {
  return { ...env, [MARKER]: run }
}

export function wrappedArgv({ folder, stdin = '/dev/null', program, args }: StartOrder): string[] {
  return wrapped({ exitFile: exitFile(folder), stdin, umask: UMASK, program, args })
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

const STEPS: Readonly<Record<string, BeginTrouble['step']>> = { cwd: 'directory', fork: 'process' }

export function notStarted(order: StartOrder, { what = '', code, cause }: Failure): AppError {
  // For the decision whether the task or the machine is at fault.
  const trouble: Pick<BeginTrouble, 'code' | 'step'> = { code, step: STEPS[what] ?? 'files' }
  if (what === 'stdin' || what === 'stdout' || what === 'stderr') {
    const explained = explainFile(cause ?? trouble, filesOf(order)[what] as string)
    if (explained instanceof AppError) return explained
  }
  if (what === 'cwd' && (code === 'ENOENT' || code === 'ENOTDIR')) return noFolder(order.cwd)
  const why = code ?? 'no process or no open file is left, or its directory cannot be entered'
  return new AppError('failed', `no agent could be started (${order.program}): ${why}`, {
    hint: 'lower max_concurrent, or raise the limits (ulimit -u, ulimit -n)',
    cause: trouble,
  })
}

/** As the agent would. */
function canEnter(cwd: string): boolean {
  try {
    accessSync(cwd, constants.X_OK)
    return true
  } catch {
    return false
  }
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code
}
