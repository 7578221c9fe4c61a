import { readFileSync } from 'node:fs'
import { AppError } from '../../errors.ts'
import type { ProcessEntry, ProcessTable } from './process-table.ts'
import { MOUNT_PROC, procIsUsable, procTable } from './process-table-proc.ts'
import { findProgram } from './program.ts'
import {
  commandOnLine,
  dialectOf,
  isBusyBox,
  markerOnLine,
  type PsRow,
  parsePs,
  psArguments,
  variablesOnLine,
} from './ps-output.ts'

/** A pid that is known may be answered for from a snapshot of this age: one that has gone is known without `ps`. */
const ENTRY_AGE_MS = 2000
/** After this long `ps` is killed. */
const PATIENCE_MS = 5000
/** A `ps` that takes longer is run less often. */
const SLOW_MS = 1000
const FIRST_REST_MS = 500
const LONGEST_REST_MS = 30_000

interface Snapshot {
  readonly rows: Map<number, PsRow>
  /** Of the monotonic clock, from before `ps` was started. */
  readonly takenAt: number
}

/**
 * The process table through `ps`: one snapshot serves all questions of a moment. A `ps` that fails, prints nothing or hangs
 * is an error, never an empty table, and is left alone for a while.
 */
export function psTable(env: NodeJS.ProcessEnv = process.env): ProcessTable {
  const dialect = dialectOf(process.platform)
  let snapshot: Snapshot | undefined
  let notFromBefore = Number.NEGATIVE_INFINITY
  let restUntil = Number.NEGATIVE_INFINITY
  let failures = 0
  let trouble: AppError | undefined

  const run = (pid?: number): Map<number, PsRow> => {
    if (trouble !== undefined && performance.now() < restUntil) throw trouble
    const begun = performance.now()
    try {
      const rows = parsePs(runPs(psArguments(dialect, pid), env), dialect)
      if (pid === undefined && !rows.has(process.pid)) throw failed('does not show this process')
      const took = performance.now() - begun
      restUntil = took > SLOW_MS ? performance.now() + 4 * took : restUntil
      failures = 0
      trouble = undefined
      return rows
    } catch (error) {
      trouble = error instanceof AppError ? error : failed(`printed ${(error as Error).message}`)
      restUntil = performance.now() + Math.min(FIRST_REST_MS * 2 ** failures++, LONGEST_REST_MS)
      throw trouble
    }
  }
  const look = (maxAgeMs: number): Snapshot => {
    const now = performance.now()
    const isUsable = snapshot !== undefined && snapshot.takenAt >= notFromBefore
    // A process that is not in a snapshot from after the start of its run has gone for good, so an old one only delays.
    if (isUsable && (now - (snapshot as Snapshot).takenAt <= maxAgeMs || (trouble === undefined && now < restUntil))) {
      return snapshot as Snapshot
    }
    if (now < restUntil) throw trouble ?? failed(`takes more than ${SLOW_MS / 1000} s, and is not asked all the time`)
    snapshot = { rows: run(), takenAt: now }
    return snapshot
  }
  const row = (pid: number): PsRow | undefined => {
    if (!exists(pid)) return undefined
    const known = snapshot?.rows.get(pid)
    const isRecent = snapshot !== undefined && performance.now() - snapshot.takenAt <= ENTRY_AGE_MS
    if (known !== undefined) return isRecent ? known : look(ENTRY_AGE_MS).rows.get(pid)
    // There is no snapshot yet, or the process is younger: ask for this one alone.
    const found = run(pid).get(pid)
    if (found !== undefined) snapshot?.rows.set(pid, found)
    return found
  }
  const seen = (pid: number): PsRow | undefined => snapshot?.rows.get(pid) ?? row(pid)
  return {
    kind: 'ps',
    startUnitMs: 1000,
    entry: (pid) => entryOf(row(pid)),
    ids: () => [...look(ENTRY_AGE_MS).rows.keys()],
    seen: (pid) => entryOf(seen(pid)),
    marker(pid) {
      const found = seen(pid)
      return found?.alive === true ? markerOnLine(found.line) : undefined
    },
    variables: (pid, names) => variablesOnLine(seen(pid)?.line ?? '', names),
    command: (pid) => commandOnLine(seen(pid)?.line ?? ''),
    mentions: (pid, argument) => seen(pid)?.line.includes(argument) === true,
    renew: (maxAgeMs) => void look(maxAgeMs),
    ageMs: () => performance.now() - (snapshot?.takenAt ?? Number.NEGATIVE_INFINITY),
    outdate() {
      notFromBefore = performance.now()
    },
    bootId: () => bootOf(env, (pid) => row(pid)?.startTime),
  }
}

function entryOf(row: PsRow | undefined): ProcessEntry | undefined {
  if (row === undefined) return undefined
  const { line: _, ...entry } = row
  return entry
}

/** Zombies, and processes of other users, exist. */
function exists(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** Not loaded by commands that never run `ps`: it costs them milliseconds. */
function childProcess(): typeof import('node:child_process') {
  return process.getBuiltinModule('node:child_process')
}

function runPs(argv: readonly string[], env: NodeJS.ProcessEnv): string {
  const program = findProgram('ps', env)
  if (program === undefined) throw noTable()
  const { error, status, signal, stdout, stderr } = childProcess().spawnSync(program, argv, {
    cwd: '/',
    // The language and the zone of its dates. Characters stay as they are where the machine has that locale.
    env: { PATH: env['PATH'] ?? '', LC_TIME: 'C', LC_MESSAGES: 'C', LC_CTYPE: 'C.UTF-8', TZ: 'UTC0' },
    encoding: 'utf8',
    timeout: PATIENCE_MS,
    killSignal: 'SIGKILL',
    maxBuffer: 1 << 28,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  if ((error as NodeJS.ErrnoException | undefined)?.code === 'ETIMEDOUT') {
    throw failed(`took longer than ${PATIENCE_MS / 1000} s`)
  }
  if (error !== undefined) throw failed(`could not be run: ${error.message}`)
  if (isBusyBox(stderr)) throw busyBox(program)
  if (signal !== null) throw failed(`was ended by ${signal}`)
  // With -p, ps also exits with 1 if there is no such process.
  if (status !== 0 && !(argv.includes('-p') && stderr === '')) {
    throw failed(`failed with exit ${status}: ${stderr.split('\n', 1)[0]}`)
  }
  if (stdout.trim() === '' && !argv.includes('-p')) throw failed('printed nothing')
  return stdout
}

function failed(what: string): AppError {
  // On Linux ps itself reads /proc, and asking it again does not help.
  const hint =
    process.platform === 'linux' && !procIsUsable()
      ? `${MOUNT_PROC}; until then no agent counts as ended`
      : 'fleet asks again; until then no agent counts as ended. Try by hand: ps -A'
  return new AppError('failed', `the process table cannot be read: ps ${what}`, { hint })
}

function noTable(): AppError {
  const why = procIsUsable()
    ? 'FLEET_PROCESS_TABLE=ps asks for ps, which is not on PATH'
    : 'it has neither a usable /proc nor ps'
  return new AppError('unsupported', `the processes of agents cannot be told apart on this machine: ${why}`, {
    hint: 'mount /proc, or install ps (the package procps); the queue and its commands work without',
  })
}

function busyBox(program: string): AppError {
  const what = 'which does not show the starts, sessions and environments of processes'
  return new AppError('unsupported', `${program} is BusyBox's, ${what}`, {
    hint: 'install ps from the package procps, or mount /proc and unset FLEET_PROCESS_TABLE',
  })
}

/** Begins a boot id that is the start of the first process, in seconds: `ps` may be off by some. */
export const INIT = 'init@'

/** The start of the first process only if the machine has no better id: a change of the clock moves it. */
function bootOf(env: NodeJS.ProcessEnv, startOf: (pid: number) => string | undefined): string {
  if (procIsUsable()) return procTable.bootId()
  const session = kernelSays('kern.bootsessionuuid', env) ?? linuxBoot()
  if (session !== undefined) return `${session}/`
  const start = startOf(1)
  if (start === undefined) throw failed('does not show the first process')
  return `${INIT}${start.slice(1)}/`
}

function kernelSays(name: string, env: NodeJS.ProcessEnv): string | undefined {
  if (process.platform === 'linux') return undefined
  const program = findProgram('sysctl', env) ?? findProgram('/usr/sbin/sysctl', env)
  if (program === undefined) return undefined
  const { status, stdout } = childProcess().spawnSync(program, ['-n', name], { encoding: 'utf8', timeout: PATIENCE_MS })
  return status === 0 && stdout.trim() !== '' ? stdout.trim() : undefined
}

function linuxBoot(): string | undefined {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
  } catch {
    return undefined
  }
}
