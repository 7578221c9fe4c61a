import type { InboxItem } from '../../domain/agent/inbox.ts'
import type { RecordedChanges } from '../../domain/run/changes.ts'
import { COMPLAINT_SETTLE_MS } from '../../domain/run/complaint-settle.ts'
import { type Digest, emptyDigest, figuresOf as figuresOfDigest } from '../../domain/run/digest.ts'
import type { Figures, Run } from '../../domain/run/run.ts'
import type { RunState } from '../../domain/run/run-machine.ts'
import type { Look, Vitals } from '../../domain/run/watchdog.ts'
import { LineSplitter } from '../../domain/text/lines.ts'
import type { Found, RunPlace } from '../../ports/agents.ts'
import type { Printed, Stream } from '../../ports/attempts.ts'
import type { Coder } from '../../ports/coder.ts'
import type { Claim } from '../../ports/queue.ts'
import type { RecordedEnd } from '../ending/conclude.ts'
import type { World } from '../world.ts'
import type { OpenSidecar } from './sidecar.ts'

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
  /** What its coder writes about the session beside stdout, once it was found. */
  sidecar: OpenSidecar | undefined
  /** Started by another supervisor: nobody tells us when it exits. */
  readonly adopted: boolean
  startedAt: number
  lastOutputAt: number
  /** When its processes were last seen at work though it said nothing, and what they were last seen to do. */
  atWorkAt: number | undefined
  looked: Look | undefined
  firstEventAt: number | undefined
  resultAt: number | undefined
  askedAt: number | undefined
  /** The last word that counts: done or ask. */
  said: Extract<InboxItem, { kind: 'done' | 'ask' }> | undefined
  /** Events that were told before, by the supervisor this one was adopted from. */
  readonly knownUpTo: number
  /** What it had printed when it was adopted: no sign of life of now. */
  readonly old: Printed | undefined
  pendingEvents: string[]
  pendingLog: string[]
  figuresChanged: boolean
  /** What was known of one whose output nobody can read any more; undefined: its digest tells. */
  figures: Figures | undefined
  /** What had to be killed by its marker. */
  readonly leftovers: Found[]
  /** Its wrapper was killed alone: it lives on, and nobody tells us when it exits. */
  leaderless: boolean
  /** Its files are not what they were when they were read: it can claim nothing. */
  altered: boolean
  /** What it changed itself, once that was looked at. */
  changed: RecordedChanges | undefined
  /** As the wrapper recorded it. */
  exit: number | undefined
  /** Its last word, once it is in the ledger. */
  end: RecordedEnd | undefined
  /** That its task.json was changed is on its way into its log. */
  toldEdit: boolean
  /** Its stderr at the last look, once a second, and when there was first more of it than it has got over. */
  complained: Printed
  complaint: Printed | undefined
  /** So much of its stderr is older than its last output. */
  stderrSettledBytes: number
  /** Its last word was tried to be written before. */
  concluding: boolean
  /** It did not end within its grace. */
  forced: boolean
  /** It has made room on its lane already, while that recovers. */
  raisedLane: boolean
  /** The window that its model had in an earlier run: most coders tell it at the end only. */
  learnt: { readonly model: string; readonly tokens: number | undefined } | undefined
  /** Of its program, where its stream tells none; known once the question was answered. */
  version: string | undefined
  versionAsked: Promise<void> | undefined
  /** What the session that it goes on with had cost before. */
  readonly costBefore: number
  /** Who waits for its end. */
  readonly requests: number[]
}

export function placeOf(live: LiveRun): RunPlace {
  return { run: live.record.id, folder: live.folder, proc: live.record.proc }
}

const NOTHING: Printed = { bytes: 0, at: Number.NEGATIVE_INFINITY }

/** It has said something: whatever it complained of before, it has got over. */
export function heard(live: LiveRun, now: number, stream: Pick<Stream, 'changedAt'>): void {
  live.lastOutputAt = now
  if (live.complaint === undefined || (stream.changedAt() ?? 0) <= live.complaint.at + COMPLAINT_SETTLE_MS) return
  live.stderrSettledBytes = live.complaint.bytes
  live.complaint = undefined
}

export function claimOf(run: Run): Claim {
  return { id: run.task, by: run.claimedBy, token: run.token }
}

export function liveRun(
  record: Run,
  more: Pick<LiveRun, 'coder' | 'folder' | 'state' | 'adopted' | 'startedAt' | 'knownUpTo' | 'costBefore'> &
    Partial<Pick<LiveRun, 'old'>>,
): LiveRun {
  return {
    record,
    claim: claimOf(record),
    digest: emptyDigest(),
    lines: new LineSplitter(),
    stream: undefined,
    sidecar: undefined,
    lastOutputAt: more.startedAt,
    atWorkAt: undefined,
    looked: undefined,
    firstEventAt: undefined,
    resultAt: undefined,
    askedAt: undefined,
    said: undefined,
    pendingEvents: [],
    pendingLog: [],
    figuresChanged: false,
    figures: undefined,
    leftovers: [],
    leaderless: false,
    altered: false,
    changed: undefined,
    old: undefined,
    exit: undefined,
    forced: false,
    complained: NOTHING,
    complaint: undefined,
    toldEdit: false,
    stderrSettledBytes: 0,
    concluding: false,
    raisedLane: false,
    learnt: undefined,
    end: undefined,
    version: undefined,
    versionAsked: undefined,
    requests: [],
    ...more,
  }
}

export function figuresOf({ environment }: Pick<World, 'environment'>, live: LiveRun): Figures {
  if (live.figures !== undefined) return live.figures
  const contextWindow = usualWindow(live)
  const figures = figuresOfDigest(live.digest, {
    ...(contextWindow === undefined ? {} : { contextWindow }),
    ...(live.record.resumes === null ? { earlierUsage: {} } : {}),
    ...(live.version === undefined ? {} : { version: live.version }),
    sessionCostUsd: live.costBefore,
  })
  return { ...figures, openTool: figures.openTool === null ? null : environment.redact(figures.openTool) }
}

/** Asked when it begins: what its program is at its end may be another. Nobody waits for the answer before that. */
export function askVersion({ coders }: Pick<World, 'coders'>, live: LiveRun): void {
  if (live.coder.versionUntold !== true) return
  const take = (version: string | undefined) => {
    live.version = version
  }
  live.versionAsked = coders.versionOf(live.coder.binary).then(take, () => {})
}

/** Where the stream tells none: what an earlier run told of the model, or what is known of it. */
function usualWindow({ coder, record, learnt }: LiveRun): number | undefined {
  const known = record.model === null ? undefined : coder.windowOf?.(record.model)
  return learnt?.tokens ?? known ?? coder.traits.contextWindow
}

export function vitalsOf(live: LiveRun): Vitals {
  const { digest } = live
  const window = digest.window ?? usualWindow(live)
  return {
    startedAt: live.startedAt,
    firstEventAt: live.firstEventAt,
    lastOutputAt: live.lastOutputAt,
    atWorkAt: live.atWorkAt,
    openTools: digest.openTools.size,
    resultAt: live.resultAt,
    pendingBackground: digest.pendingBackground,
    askedAt: live.askedAt,
    contextPct:
      digest.contextNow === undefined || window === undefined ? undefined : (digest.contextNow / window) * 100,
    isScript: live.coder.traits.stream === 'text',
    outputBytes: (live.stream?.bytes ?? 0) + live.complained.bytes,
  }
}
