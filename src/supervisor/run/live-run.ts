import type { InboxItem } from '../../domain/agent/inbox.ts'
import { COMPLAINT_SETTLE_MS } from '../../domain/run/complaint-settle.ts'
import { type Digest, emptyDigest } from '../../domain/run/digest.ts'
import type { Figures, Run } from '../../domain/run/run.ts'
import type { RunState } from '../../domain/run/run-machine.ts'
import type { Look } from '../../domain/run/watchdog.ts'
import { LineSplitter } from '../../domain/text/lines.ts'
import type { Found, RunPlace } from '../../ports/agents.ts'
import type { Printed, Stream } from '../../ports/attempts.ts'
import type { Coder } from '../../ports/coder.ts'
import type { Claim } from '../../ports/queue.ts'
import type { Findings } from '../ending/judge.ts'
import type { RecordedEnd } from '../ending/record-end.ts'
import type { OpenSidecar } from './sidecar.ts'

/** A process that a run left behind: killed, or `left` because this user may not end it. */
export interface Leftover extends Found {
  readonly left?: true
}

/** One run that this supervisor follows. Times are of the monotonic clock. */
export interface LiveRun {
  record: Run
  readonly claim: Claim
  readonly coder: Coder
  readonly folder: string
  state: RunState
  startedAt: number
  /** Its processes as a look has shown them, where nothing else keeps track of them. */
  family: string | undefined
  /** `polled`: another supervisor started it, or its wrapper was killed alone, so nobody reports its exit. */
  exits: 'reported' | 'polled'
  /** Folded from all that it printed, from the first byte. */
  readonly digest: Digest
  readonly output: Output
  /** The file in which the coder records the session, once it is found. */
  sidecar: OpenSidecar | undefined
  readonly stderr: Stderr
  readonly activity: Activity
  readonly letters: Letters
  readonly unwritten: Unwritten
  readonly accounting: Accounting
  readonly ending: EndOfRun
  /** `since` of its recovering lane when it last raised the lane's cap. */
  raisedLaneOf: number | undefined
}

/** Its stdout, as far as it was read. */
interface Output {
  stream: Stream | undefined
  readonly lines: LineSplitter
  lastAt: number
  firstEventAt: number | undefined
  /** When the model last answered while this supervisor followed it. Of the wall clock, as the times of lanes are. */
  answeredAt: number | undefined
  /** When its last result came, or output after it, if no turn began since. */
  resultAt: number | undefined
  /** The output before adoption, which is no sign of life now. */
  readonly old: Printed | undefined
  /** Events up to this offset were written down by an earlier supervisor. */
  readonly knownUpTo: number
}

interface Stderr {
  /** At the last look, once a second. */
  latest: Printed
  /** The first look that found more than `settledBytes`. */
  complaint: Printed | undefined
  /** stderr bytes written before the last stdout. */
  settledBytes: number
}

/** The activity of its processes while it prints nothing. */
interface Activity {
  atWorkAt: number | undefined
  look: Look | undefined
}

interface Letters {
  /** The last `done` or `ask`. */
  said: Extract<InboxItem, { kind: 'done' | 'ask' }> | undefined
  askedAt: number | undefined
  /** The last `ask`, also if a `done` came after it. */
  asked: Extract<InboxItem, { kind: 'ask' }> | undefined
}

/** Known here, and not in the ledger or the task's files yet. */
interface Unwritten {
  readonly events: string[]
  readonly log: string[]
  figuresChanged: boolean
}

/** The inputs of its figures besides the digest. */
interface Accounting {
  /** From the ledger, for a run whose coder is gone and whose output nobody can read. */
  remembered: Figures | undefined
  /** Cost of the resumed session before this run. */
  readonly costBefore: number
  /** The model's window in an earlier run: most coders tell it only at the end. */
  window: { readonly model: string; readonly tokens: number | undefined } | undefined
  /** Of its program, where the stream does not tell it; set once `versionAsked` is done. */
  version: string | undefined
  versionAsked: Promise<void> | undefined
}

interface EndOfRun {
  /** The strongest signal that was sent to its processes. */
  signal: 'SIGTERM' | 'SIGKILL' | undefined
  /** Why a dead man's switch ended it, if one did. */
  bySwitch: string | undefined
  /** As the wrapper recorded it. */
  exit: number | undefined
  /** Processes that had to be killed by their marker. */
  readonly leftovers: Leftover[]
  /** Its files differ from what was read while it ran: it can claim nothing. */
  altered: boolean
  /** The source of its receipt, once the run is judged. */
  findings: Findings | undefined
  /** Once the ledger has its outcome. */
  recorded: RecordedEnd | undefined
  /** Requests that wait for its end. */
  readonly requests: number[]
}

interface Beginning
  extends Pick<LiveRun, 'coder' | 'folder' | 'state' | 'startedAt' | 'exits'>,
    Pick<Output, 'knownUpTo'>,
    Partial<Pick<Output, 'old'>>,
    Pick<Accounting, 'costBefore'> {}

export function liveRun(record: Run, { knownUpTo, old, costBefore, ...more }: Beginning): LiveRun {
  return {
    record,
    claim: claimOf(record),
    family: undefined,
    digest: emptyDigest(),
    output: {
      stream: undefined,
      lines: new LineSplitter(),
      lastAt: more.startedAt,
      firstEventAt: undefined,
      answeredAt: undefined,
      resultAt: undefined,
      old,
      knownUpTo,
    },
    sidecar: undefined,
    stderr: { latest: NOTHING, complaint: undefined, settledBytes: 0 },
    activity: { atWorkAt: undefined, look: undefined },
    letters: { said: undefined, askedAt: undefined, asked: undefined },
    unwritten: { events: [], log: [], figuresChanged: false },
    accounting: {
      remembered: undefined,
      costBefore,
      window: undefined,
      version: undefined,
      versionAsked: undefined,
    },
    ending: {
      signal: undefined,
      bySwitch: undefined,
      exit: undefined,
      leftovers: [],
      altered: false,
      findings: undefined,
      recorded: undefined,
      requests: [],
    },
    raisedLaneOf: undefined,
    ...more,
  }
}

const NOTHING: Printed = { bytes: 0, at: Number.NEGATIVE_INFINITY }

export function placeOf(live: LiveRun): RunPlace {
  return { run: live.record.id, folder: live.folder, proc: live.record.proc }
}

export function claimOf(run: Run): Claim {
  return { id: run.task, by: run.claimedBy, token: run.token }
}

/** It has said something: earlier complaints are settled. */
export function heard({ output, stderr }: LiveRun, now: number, stream: Pick<Stream, 'changedAt'>): void {
  output.lastAt = now
  if (stderr.complaint === undefined || (stream.changedAt() ?? 0) <= stderr.complaint.at + COMPLAINT_SETTLE_MS) return
  stderr.settledBytes = stderr.complaint.bytes
  stderr.complaint = undefined
}
