import type { ForgedLetter, InboxItem, Word } from '../../domain/agent/inbox.ts'
import { newTrace, type Trace } from '../../domain/evidence/trace.ts'
import { COMPLAINT_SETTLE_MS } from '../../domain/run/complaint-settle.ts'
import type { Damage } from '../../domain/run/damage.ts'
import type { Silence } from '../../domain/run/diagnosis/diagnose.ts'
import type { Growth } from '../../domain/run/diagnosis/growth.ts'
import type { Looks } from '../../domain/run/diagnosis/look.ts'
import { type Digest, emptyDigest } from '../../domain/run/digest.ts'
import type { Receipt } from '../../domain/run/receipt.ts'
import type { Figures, KeptLetter, Run, Seen } from '../../domain/run/run.ts'
import type { RunState } from '../../domain/run/run-machine.ts'
import { type Called, newCalled } from '../../domain/scope/called.ts'
import { LineSplitter } from '../../domain/text/lines.ts'
import type { Found, RunPlace } from '../../ports/agents.ts'
import type { Printed, Stream } from '../../ports/attempts.ts'
import type { Coder } from '../../ports/coder.ts'
import type { Claim } from '../../ports/queue.ts'
import type { Findings } from '../ending/judge.ts'
import type { RecordedEnd } from '../ending/record-end.ts'
import type { LaunchRecord } from './launch-record.ts'
import type { HandOver } from './messages.ts'
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
  /** SHA-256 of launch.json as this supervisor wrote it; undefined: it did not. */
  launch: string | undefined
  /** An older fleet started it: its exit file has no key. */
  unkeyed: boolean
  state: RunState
  startedAt: number
  /** Its processes as a look has shown them, where nothing else keeps track of them. */
  family: string | undefined
  /** The first of its ports; undefined: it has none. */
  portBase: number | undefined
  /** `polled`: another supervisor started it, or its wrapper was killed alone, so nobody reports its exit. */
  exits: 'reported' | 'polled'
  /** Folded from all that it printed, from the first byte. */
  readonly digest: Digest
  readonly output: Output
  /** The times and places of its work, by its output. Of the wall clock, as the times of files are. */
  readonly trace: Trace
  /** Its tool calls that left its bounds. */
  readonly called: Called
  /** The file in which the coder records the session, once it is found. */
  sidecar: OpenSidecar | undefined
  readonly stderr: Stderr
  readonly activity: Activity
  readonly letters: Letters
  /** By the message that was left, or was to be left, for its hooks. */
  readonly messages: Map<number, HandOver>
  readonly unwritten: Unwritten
  readonly accounting: Accounting
  readonly ending: EndOfRun
  /** The locks that it took; unknown of an adopted run, whose claim holds them. */
  readonly locks: readonly string[]
  /** `since` of its recovering lane when it last raised the lane's cap. */
  raisedLaneOf: number | undefined
}

/** Its stdout, as far as it was read. */
interface Output {
  stream: Stream | undefined
  /** Device and inode of the file that it prints to; undefined: unknown. */
  file: string | undefined
  /** Bytes that it printed, read or not. */
  written: number
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
  /** When the events up to this offset were read is known: an earlier supervisor did. */
  readonly tracedUpTo: number
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
  /** When a look was last begun, also if it failed. */
  triedAt: number
  looks: Looks | undefined
  /** Its sub-agents' transcripts; undefined: it has none. */
  transcript: Growth | undefined
  /** Its silence, as the last look shows it; undefined: it is not silent. */
  silence: Silence | undefined
}

interface Letters {
  /** The last `done` or `ask`. */
  said: Word | undefined
  askedAt: number | undefined
  /** The last `ask`, also if a `done` came after it. */
  asked: Extract<InboxItem, { kind: 'ask' }> | undefined
  /** The last ones that say `done` or `ask`, for the ledger. */
  kept: readonly KeptLetter[]
  /** Each `done` and `ask` so far, by its time: anyone who can read a signed letter can hand it in again. */
  readonly heard: Set<number>
  /** The secret half of its key, until it is started. */
  secret: string | undefined
  /** The public half of its key; undefined: an older fleet started it. */
  readonly check: string | undefined
  /** Those that others handed in for it: the first ones, and how many. */
  readonly forged: ForgedLetter[]
  forgedCount: number
}

/** Known here, and not in the ledger or the task's files yet. */
interface Unwritten {
  readonly events: string[]
  /** How much room for events this attempt has left; negative: they are left out. */
  eventRoom: number
  /** The same for the lines of its letters in the task's log. */
  letterRoom: number
  readonly log: string[]
  figuresChanged: boolean
  /** How many of the paths in its trace the ledger has. */
  namedWritten: number
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
  /** When no process of it was left, and when its checks began, of the monotonic clock. */
  goneAt: number | undefined
  checkedFrom: number | undefined
  /** When a person, or the end of the supervisor, first asked for its end. Of the monotonic clock. */
  stopAskedAt: number | undefined
  /** Why its checks start nothing for now, and it needs no slot; undefined: they go on. */
  waitsFor: string | undefined
  /** Processes that had to be killed by their marker. */
  readonly leftovers: Leftover[]
  /** Read when no process of it was left; undefined: not yet. */
  launchRecord: LaunchRecord | undefined
  /** Names of its files that differ from what was read or written while it ran: it can claim nothing. */
  readonly altered: Set<string>
  /** The damage that it did to the files that fleet keeps for it. */
  damage: readonly Damage[]
  /** Once it is written. */
  receipt: Receipt | undefined
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
    Partial<Pick<Unwritten, 'eventRoom'>>,
    Pick<Accounting, 'costBefore'>,
    Partial<Pick<LiveRun, 'locks'>> {
  readonly letterCheck?: string | undefined
  /** As an earlier supervisor left them. */
  readonly traces?: Pick<Seen, 'work' | 'named' | 'stdout'>
}

export function liveRun(
  record: Run,
  { knownUpTo, old, costBefore, letterCheck, traces = {}, eventRoom = roomForEvents(0), ...more }: Beginning,
): LiveRun {
  return {
    record,
    claim: claimOf(record),
    family: undefined,
    called: newCalled(),
    portBase: undefined,
    digest: emptyDigest(),
    output: {
      stream: undefined,
      file: undefined,
      written: 0,
      lines: new LineSplitter(),
      lastAt: more.startedAt,
      firstEventAt: undefined,
      answeredAt: undefined,
      resultAt: undefined,
      old,
      knownUpTo,
      tracedUpTo: traces.work === undefined ? 0 : (traces.stdout?.bytes ?? 0),
    },
    trace: newTrace(record.startedAt, traces.work, traces.named),
    sidecar: undefined,
    stderr: { latest: NOTHING, complaint: undefined, settledBytes: 0 },
    activity: {
      atWorkAt: undefined,
      triedAt: Number.NEGATIVE_INFINITY,
      looks: undefined,
      transcript: undefined,
      silence: undefined,
    },
    letters: {
      said: undefined,
      askedAt: undefined,
      asked: undefined,
      kept: [],
      heard: new Set(),
      secret: undefined,
      check: letterCheck,
      forged: [],
      forgedCount: 0,
    },
    messages: new Map(),
    unwritten: { events: [], eventRoom, letterRoom: MOST_LETTERS, log: [], figuresChanged: false, namedWritten: 0 },
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
      goneAt: undefined,
      stopAskedAt: undefined,
      checkedFrom: undefined,
      waitsFor: undefined,
      leftovers: [],
      launchRecord: undefined,
      altered: new Set(),
      damage: [],
      receipt: undefined,
      findings: undefined,
      recorded: undefined,
      requests: [],
    },
    locks: [],
    raisedLaneOf: undefined,
    launch: undefined,
    unkeyed: false,
    ...more,
  }
}

/** Bytes of events.jsonl for one attempt: some ten thousand events. Its stdout has them all. */
const MOST_EVENTS = 16 << 20
/** And for all attempts at a task. */
const MOST_OF_TASK = 64 << 20

/** The room for events of an attempt, where the task has so many bytes of them already. */
export function roomForEvents(bytes: number): number {
  return Math.min(MOST_EVENTS, MOST_OF_TASK - bytes)
}

/** Bytes of log.jsonl for the letters of one attempt. */
const MOST_LETTERS = 1 << 20

const NOTHING: Printed = { bytes: 0, at: Number.NEGATIVE_INFINITY }

export function placeOf(live: LiveRun): RunPlace {
  return { run: live.record.id, folder: live.folder, proc: live.record.proc, unkeyed: live.unkeyed }
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
