import { type Digest, emptyDigest, figuresOf as figuresOfDigest } from '../domain/digest.ts'
import type { InboxItem } from '../domain/inbox.ts'
import { LineSplitter } from '../domain/lines.ts'
import type { Figures, Run } from '../domain/run.ts'
import type { RunState } from '../domain/run-machine.ts'
import type { Vitals } from '../domain/watchdog.ts'
import type { Found, RunPlace } from '../ports/agents.ts'
import type { Stream } from '../ports/attempts.ts'
import type { Coder } from '../ports/coder.ts'
import type { Claim } from '../ports/queue.ts'
import type { RecordedEnd } from './conclude.ts'

/** One run in the hands of this supervisor. Times are of the monotonic clock. */
export interface LiveRun {
  record: Run
  readonly claim: Claim
  readonly coder: Coder
  readonly folder: string
  state: RunState
  readonly digest: Digest
  readonly lines: LineSplitter
  stream: Stream | undefined
  /** Started by another supervisor: nobody tells us when it exits. */
  readonly adopted: boolean
  readonly startedAt: number
  lastOutputAt: number
  firstEventAt: number | undefined
  resultAt: number | undefined
  askedAt: number | undefined
  /** The last word that counts: done or ask. */
  said: Extract<InboxItem, { kind: 'done' | 'ask' }> | undefined
  /** Events that were told before, by the supervisor this one was adopted from. */
  readonly knownUpTo: number
  pendingEvents: string[]
  pendingLog: string[]
  figuresChanged: boolean
  /** What had to be killed by its marker. */
  readonly leftovers: Found[]
  /** Its wrapper was killed alone: it lives on, and nobody tells us when it exits. */
  leaderless: boolean
  /** As the wrapper recorded it. */
  exit: number | undefined
  /** Its last word, once it is in the ledger. */
  end: RecordedEnd | undefined
  stderrBytes: number
  /** Its last word was tried to be written before. */
  concluding: boolean
  /** It did not end within its grace. */
  forced: boolean
  /** Who waits for its end. */
  readonly requests: number[]
}

export function placeOf(live: LiveRun): RunPlace {
  return { run: live.record.id, folder: live.folder, proc: live.record.proc }
}

export function claimOf(run: Run): Claim {
  return { id: run.task, by: run.claimedBy, token: run.token }
}

export function liveRun(
  record: Run,
  more: Pick<LiveRun, 'coder' | 'folder' | 'state' | 'adopted' | 'startedAt' | 'knownUpTo'>,
): LiveRun {
  return {
    record,
    claim: claimOf(record),
    digest: emptyDigest(),
    lines: new LineSplitter(),
    stream: undefined,
    lastOutputAt: more.startedAt,
    firstEventAt: undefined,
    resultAt: undefined,
    askedAt: undefined,
    said: undefined,
    pendingEvents: [],
    pendingLog: [],
    figuresChanged: false,
    leftovers: [],
    leaderless: false,
    exit: undefined,
    forced: false,
    stderrBytes: 0,
    concluding: false,
    end: undefined,
    requests: [],
    ...more,
  }
}

export function figuresOf(live: LiveRun): Figures {
  const contextWindow = usualWindow(live)
  return figuresOfDigest(live.digest, contextWindow === undefined ? {} : { contextWindow })
}

/** Where the stream tells none. */
function usualWindow({ coder, record }: LiveRun): number | undefined {
  return (record.model === null ? undefined : coder.windowOf?.(record.model)) ?? coder.traits.contextWindow
}

export function vitalsOf(live: LiveRun): Vitals {
  const { digest } = live
  const window = digest.window ?? usualWindow(live)
  return {
    startedAt: live.startedAt,
    firstEventAt: live.firstEventAt,
    lastOutputAt: live.lastOutputAt,
    openTools: digest.openTools.size,
    resultAt: live.resultAt,
    pendingBackground: digest.pendingBackground,
    askedAt: live.askedAt,
    contextPct:
      digest.contextNow === undefined || window === undefined ? undefined : (digest.contextNow / window) * 100,
    isScript: live.coder.traits.stream === 'text',
    outputBytes: (live.stream?.bytes ?? 0) + live.stderrBytes,
  }
}
