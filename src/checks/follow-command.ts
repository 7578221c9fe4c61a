import { stopStep } from '../domain/verify/stop-step.ts'
import { type CommandEnd, endFrom } from '../domain/verify/verification.ts'
import { entryAt } from '../platform/files/folder.ts'
import { freeDisk } from '../platform/runtime/machine.ts'
import type { RunPlace } from '../ports/agents.ts'
import { LET_GO } from '../ports/verifier.ts'
import type { VerifyProcess } from '../ports/verify-records.ts'
import type { VerifierParts } from './verifier.ts'

/** A command that runs. */
export interface Followed {
  process: VerifyProcess
  /** Of the monotonic clock. */
  readonly startedAt: number
  /** `polled`: another supervisor started it, or its wrapper has gone. */
  exits: 'reported' | 'polled'
  /** Whether any of its processes may have outlived its wrapper. */
  left: 'nothing' | 'perhaps'
  /** Aborted when its wrapper has gone. */
  readonly ended: AbortSignal
}

interface Stopping {
  /** undefined: it was asked for from outside. */
  readonly end: CommandEnd | undefined
  readonly since: number
}

const LOOK_EVERY_MS = 250

/**
 * Waits for the end of a command, and brings it about if it takes too long, prints too much or is not wanted any more.
 * undefined: the signal was aborted, and its group has gone. Throws LET_GO if it is to be left running.
 */
export async function follow(
  parts: VerifierParts,
  { followed, output }: { followed: Followed; output: string },
  signal: AbortSignal,
): Promise<CommandEnd | undefined> {
  const { agents, policy } = parts
  let stopping: Stopping | undefined
  for (;;) {
    if (signal.aborted && signal.reason === LET_GO) throw signal.reason
    const place = placeOf(followed.process)
    const now = performance.now()
    if (stopping === undefined) {
      const end = endOf(parts, followed)
      if (end !== undefined) return end
      const reason = signal.aborted ? undefined : tooMuch(parts, followed, output)
      if (signal.aborted || reason !== undefined) {
        stopping = { end: reason, since: now }
        noteStop(parts, followed.process)
        agents.signal(place, 'SIGTERM')
      }
    } else {
      const step = stopStep({
        isAlive: agents.groupAlive(place),
        ms: now - stopping.since,
        graceMs: policy().limits.grace,
      })
      if (step === 'end') return stopping.end
      if (step === 'kill') agents.signal(place, 'SIGKILL')
    }
    await nextLook(followed, signal)
  }
}

/** A supervisor that dies after the signal must not leave an exit that the next one takes for the command's own. */
function noteStop({ records }: VerifierParts, { id }: VerifyProcess): void {
  try {
    records.stopping(id)
  } catch {
    // Trouble of the store keeps no command running.
  }
}

export function placeOf({ id, folder, proc }: VerifyProcess): RunPlace {
  return { run: id, folder, proc }
}

const LOST: CommandEnd = { kind: 'lost' }

/** Its end by itself; undefined: it runs. Without its wrapper nobody records its exit, also if the command itself goes on. */
function endOf({ agents }: VerifierParts, { process, exits }: Followed): CommandEnd | undefined {
  const place = placeOf(process)
  const exit = (): CommandEnd | undefined => {
    const code = agents.exitOf(place)
    return code === undefined ? undefined : endFrom(code, { isDiskFull: isFull(process.folder) || isFull(process.cwd) })
  }
  const known = exit()
  if (known !== undefined || exits === 'reported') return known
  const sighting = agents.look(place)
  if (sighting.kind === 'alive' && sighting.proc !== null) return undefined
  // It may have been written between the two looks.
  return exit() ?? LOST
}

/** Less than a file of any use takes. */
const FULL_BYTES = 64 << 10

function isFull(folder: string): boolean {
  try {
    return freeDisk(folder) < FULL_BYTES
  } catch {
    return false
  }
}

function tooMuch({ policy }: VerifierParts, { startedAt }: Followed, output: string): CommandEnd | undefined {
  const { verifyTimeout, limits } = policy()
  if (performance.now() - startedAt >= verifyTimeout) return { kind: 'timed-out', afterMs: verifyTimeout }
  if ((entryAt(output)?.size ?? 0) <= limits.outputBytes) return undefined
  return { kind: 'flooded', bytes: limits.outputBytes }
}

/** After a moment, or at once when its wrapper has gone or the signal is aborted. */
function nextLook({ ended }: Followed, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const wakes = [ended, signal].filter((each) => !each.aborted)
    const done = (): void => {
      clearTimeout(timer)
      for (const each of wakes) each.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, LOOK_EVERY_MS)
    for (const each of wakes) each.addEventListener('abort', done)
  })
}
