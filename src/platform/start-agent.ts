import { spawn } from 'node:child_process'
import { closeSync, constants, openSync, statSync } from 'node:fs'
import type { Proc } from '../domain/run.ts'
import { AppError } from '../errors.ts'
import type { StartOrder } from '../ports/agents.ts'
import { exitFile } from './exit-file.ts'
import { explainFile } from './files.ts'
import { findUnshare, inNamespace } from './namespace.ts'
import { bootId, MARKER, processEntry } from './process-table.ts'
import { wrapped } from './wrapper.ts'

/**
 * Files instead of pipes: the agent outlives who started it, and a slow reader never holds it up.
 * `ended` gets the wrapper's exit status, null where a signal ended it.
 */
export function startAgent(order: StartOrder, ended: (code: number | null) => void): Proc {
  requireFolder(order.cwd)
  const pid = spawnDetached(argvOf(order), order, ended)
  // Not reaped before this turn ends, so it is in the table even if it has already exited.
  const entry = processEntry(pid)
  if (entry === undefined) throw new Error(`process ${pid} was started and is not in the process table`)
  return { pid, startTime: entry.startTime, bootId: bootId() }
}

function spawnDetached(
  [file = '', ...args]: string[],
  order: StartOrder,
  ended: (code: number | null) => void,
): number {
  const files: number[] = []
  const open = (path: string, flags: number): number => {
    files.push(guarded(path, () => openSync(path, flags, 0o600)))
    return files.at(-1) as number
  }
  try {
    const stdin = order.stdin === undefined ? 'ignore' : open(order.stdin, constants.O_RDONLY)
    const stdout = open(`${order.folder}/stdout.jsonl`, OUTPUT)
    const stderr = open(`${order.folder}/stderr.log`, OUTPUT)
    const child = spawn(file, args, {
      cwd: order.cwd,
      env: { ...order.env, [MARKER]: order.run },
      detached: true,
      stdio: [stdin, stdout, stderr],
    })
    // Also told by the missing pid; without a listener it would be thrown out of nowhere.
    child.on('error', () => {})
    if (child.pid === undefined) throw notStarted(file, undefined)
    child.on('exit', ended)
    child.unref()
    return child.pid
  } catch (error) {
    throw error instanceof AppError ? error : notStarted(file, error)
  } finally {
    for (const each of files) closeSync(each)
  }
}

const OUTPUT = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW

function argvOf({ folder, program, args, namespace }: StartOrder): string[] {
  const argv = wrapped({ exitFile: exitFile(folder), umask: process.umask(), program, args })
  if (!namespace) return argv
  const unshare = findUnshare()
  if (unshare === undefined)
    throw new AppError('unsupported', 'unshare is not on PATH, so there is no pid namespace', {
      hint: 'install util-linux',
    })
  return inNamespace(argv, unshare)
}

function requireFolder(cwd: string): void {
  if (statSync(cwd, { throwIfNoEntry: false })?.isDirectory() === true) return
  throw new AppError('not-found', `${cwd} is not a directory, so no agent can be started in it`, {
    hint: 'make it again, or give the task another one: fleet bd update <id> --cwd <path>',
  })
}

function guarded<T>(path: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw explainFile(error, path)
  }
}

function notStarted(file: string, cause: unknown): AppError {
  const code = (cause as NodeJS.ErrnoException | undefined)?.code
  const why = code === undefined ? 'no process or no open file is left, or its directory cannot be entered' : code
  return new AppError('failed', `no agent could be started (${file}): ${why}`, {
    hint: 'lower max_concurrent, or raise the limits (ulimit -u, ulimit -n)',
    cause,
  })
}
