import type { ChildProcessByStdio } from 'node:child_process'
import type { Readable, Writable } from 'node:stream'
import { PROGRAMS_AT_ONCE } from '../../domain/fleet/open-files.ts'
import { limited } from '../runtime/limited.ts'
import { opensPipe } from './blocked.ts'
import { closeInheritedDescriptors } from './inherited-descriptors.ts'

/** How a program that was run to its end came out. */
export type Execution =
  | Ended
  /** It was killed. Files that it was writing may be incomplete. */
  | { readonly kind: 'timed-out'; readonly afterMs: number }
  /** `code`: the system's name of the error. */
  | { readonly kind: 'not-started'; readonly why: string; readonly code?: string | undefined }
  | { readonly kind: 'too-much-output'; readonly maxBytes: number }
  /** It opened a pipe that nobody writes to. */
  | { readonly kind: 'blocked' }
  | { readonly kind: 'aborted' }

export interface Ended {
  readonly kind: 'ended'
  /** null: a signal ended it. */
  readonly code: number | null
  readonly signal?: NodeJS.Signals
  /** Empty if `take` received it. */
  readonly out: Buffer
  readonly err: string
}

export interface ExecOptions {
  readonly argv: readonly string[]
  readonly env?: NodeJS.ProcessEnv
  /** By default `/`. */
  readonly cwd?: string
  /** Absent: stdin is /dev/null. */
  readonly input?: string
  /** Absent: no limit. */
  readonly timeoutMs?: number
  /**
   * At the timeout, or when `signal` is aborted. 0, the default: SIGKILL to its whole process group. More: SIGTERM to the
   * program alone, and SIGKILL after so long, for a program whose files a kill could damage. With a group of its own, what is
   * left of that ends with it.
   */
  readonly graceMs?: number
  /** With a grace, too, a process group of its own: a Ctrl-C in the terminal of fleet does not reach the program. */
  readonly ownGroup?: boolean
  /** Of stdout. Absent: no limit. */
  readonly maxBytes?: number
  readonly signal?: AbortSignal
  /** An agent may have put a pipe in the place of a file that it reads: it is killed then, long before the timeout. Linux only. */
  readonly readsAgentFiles?: boolean
  /** Called with its pid when it runs, before anything else can happen. */
  readonly started?: (pid: number) => void
  /** Receives stdout as it comes; nothing is collected then. If it throws, the program is killed and the error passed on. */
  readonly take?: (bytes: Uint8Array) => void
}

/** stderr beyond this limit is discarded. */
const ERR_LIMIT = 65_536
/** A grandchild may hold the pipes open after the program has exited. Its output is not waited for longer than this. */
const HELD_PIPES_MS = 500

/** Files answer sooner, on any disk. */
const BLOCKED_LOOK_MS = 1000
const BLOCKED_LOOKS = 3

/** Runs a program to its end. Does not run it as an agent or a daemon: it ends with, or before, the promise. */
export async function exec(file: string, options: ExecOptions): Promise<Execution> {
  // A clone may take half an hour, and must not keep a look at a checkout waiting.
  const isQuick = (options.timeoutMs ?? Number.POSITIVE_INFINITY) <= QUICK_MS
  return isQuick ? await atMost(() => execNow(file, options)) : await execNow(file, options)
}

const QUICK_MS = 60_000
const atMost = limited(PROGRAMS_AT_ONCE)

async function execNow(file: string, options: ExecOptions): Promise<Execution> {
  if (options.signal?.aborted === true) return { kind: 'aborted' }
  // Loaded here: most commands on a local queue start no program and must not pay for the module.
  const { spawn } = process.getBuiltinModule('node:child_process')
  closeInheritedDescriptors()
  const { argv, env, cwd = '/', input } = options
  const how = { cwd, env, detached: hasOwnGroup(options) }
  let child: Child
  try {
    child =
      input === undefined
        ? spawn(file, argv, { ...how, stdio: ['ignore', 'pipe', 'pipe'] })
        : spawn(file, argv, { ...how, stdio: ['pipe', 'pipe', 'pipe'] })
  } catch (error) {
    // Arguments that are too long, for example.
    return notStarted(error)
  }
  return await ended(child, options)
}

function hasOwnGroup({ graceMs = 0, ownGroup = false }: ExecOptions): boolean {
  return graceMs === 0 || ownGroup
}

/** All that it printed. */
export function outputText({ out, err }: Ended): string {
  return `${out.toString('utf8')}${err}`
}

/** For `maxBytes` of a program that is asked for its version. */
export const VERSION_BYTES = 65_536

/** Why there is no result: for a message that begins with the program's name. */
export function whyNotEnded(execution: Exclude<Execution, Ended>): string {
  switch (execution.kind) {
    case 'timed-out':
      return `took longer than ${execution.afterMs} ms`
    case 'not-started':
      return `could not be started: ${execution.why}`
    case 'too-much-output':
      return `printed more than ${execution.maxBytes} bytes`
    case 'blocked':
      return 'waited for a pipe, which stands where a file belongs (find . -type p)'
    case 'aborted':
      return 'was stopped'
  }
}

function notStarted(error: unknown): Execution {
  const { code, message = String(error) } = error as NodeJS.ErrnoException
  return { kind: 'not-started', why: message, code }
}

type Child = ChildProcessByStdio<Writable | null, Readable, Readable>

function ended(child: Child, options: ExecOptions): Promise<Execution> {
  const { input, timeoutMs, graceMs = 0, maxBytes = Number.POSITIVE_INFINITY, signal, take } = options
  const group = hasOwnGroup(options)
  return new Promise((resolve, reject) => {
    const timers: NodeJS.Timeout[] = []
    const later = (ms: number, work: () => void): void => void timers.push(setTimeout(work, ms))
    const clear = (): void => {
      for (const timer of timers) clearTimeout(timer)
      signal?.removeEventListener('abort', abort)
      child.stdout?.destroy()
      child.stderr?.destroy()
      child.unref()
    }
    const settle = (execution: Execution): void => {
      clear()
      resolve(execution)
    }
    const endWith = (execution: Execution): void => {
      killNow(child, { group })
      settle(execution)
    }
    /** Its end is asked for. */
    let ending: Execution | undefined
    const endSoon = (execution: Execution): void => {
      ending ??= execution
      child.kill('SIGTERM')
      later(graceMs, () => {
        killNow(child, { group })
        later(HELD_PIPES_MS, () => settle(execution))
      })
    }
    const abort = (): void => (graceMs === 0 ? endWith : endSoon)({ kind: 'aborted' })
    child.on('error', (error) => settle(notStarted(error)))
    // Without a process there may be no streams either.
    if (child.pid === undefined) return
    options.started?.(child.pid)

    const out: Uint8Array[] = []
    let bytes = 0
    let err = ''
    const close = (code: number | null, killedBy: NodeJS.Signals | null): void =>
      settle(
        ending ?? {
          kind: 'ended',
          code,
          ...(killedBy === null ? {} : { signal: killedBy }),
          out: Buffer.concat(out),
          err,
        },
      )
    child.stdin?.on('error', () => {}) // it may exit without reading its input
    child.stdin?.end(input)
    child.stdout.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes > maxBytes) return endWith({ kind: 'too-much-output', maxBytes })
      if (take === undefined) return void out.push(chunk)
      try {
        take(chunk)
      } catch (error) {
        killNow(child, { group })
        clear()
        reject(error)
      }
    })
    child.stderr.on('data', (chunk: Buffer) => {
      if (err.length < ERR_LIMIT) err += chunk.toString('utf8')
    })
    child.on('close', close)
    // setImmediate: after a busy moment the timer comes first, before output that is already in the pipe.
    child.on('exit', (code, killedBy) => {
      // What it has started outlives it.
      if (ending !== undefined && group) killNow(child, { group })
      later(HELD_PIPES_MS, () => setImmediate(() => close(code, killedBy)))
    })
    signal?.addEventListener('abort', abort)
    if (options.readsAgentFiles === true) {
      const { pid } = child
      const lookAgain = (times: number): void =>
        later(BLOCKED_LOOK_MS, () => {
          const waiting = opensPipe(pid) ? times + 1 : 0
          if (waiting === BLOCKED_LOOKS) endWith({ kind: 'blocked' })
          else lookAgain(waiting)
        })
      lookAgain(0)
    }
    if (timeoutMs === undefined) return
    later(timeoutMs, () => {
      const late = { kind: 'timed-out', afterMs: timeoutMs } as const
      if (graceMs === 0) endWith(late)
      else endSoon(late)
    })
  })
}

function killNow(child: Child, { group }: { group: boolean }): void {
  try {
    if (group && child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
    else child.kill('SIGKILL')
  } catch {
    // It has exited already.
  }
}
