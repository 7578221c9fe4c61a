import type { InboxItem } from '../../domain/agent/inbox.ts'
import { taskLogLine } from '../../domain/agent/task-log.ts'
import { continuedAfterResult, fold, isRepeatedUsage } from '../../domain/run/digest.ts'
import type { CoderEvent } from '../../domain/run/event.ts'
import { eventLine } from '../../domain/run/event-line.ts'
import { mapStrings } from '../../domain/text/redact.ts'
import type { World } from '../world.ts'
import { figuresOf, heard, type LiveRun } from './live-run.ts'

/**
 * Takes in what an agent printed since the last look, at most one buffer full, so that ten floods do not hold up the
 * others. True: there is more at once.
 */
export function follow(world: World, live: LiveRun): boolean {
  live.stream ??= world.attempts.follow(live.record.task, live.record.attempt)
  const before = live.stream.bytes
  const isText = live.coder.traits.stream === 'text'
  let text = ''
  let last = ''
  let cut = false
  let textAt = -1
  const seen = seenNow(world)
  const more = live.stream.read((bytes) => {
    live.lines.feed(bytes, (line, at) => {
      // What a script printed between two looks is one event; all of it stands in the file.
      if (isText) {
        last = line ?? ''
        if (text.length < TEXT) text += `${last}\n`
        else cut = true
        textAt = at
      } else for (const event of eventsOf(live, line)) take(world, live, event, { at, seen })
    })
  })
  // Its last line may be its summary.
  const printed = cut ? `${text.slice(0, TEXT)}…\n${last.slice(0, LAST)}` : text
  if (textAt !== -1) for (const event of eventsOf(live, printed)) take(world, live, event, { at: textAt, seen })
  if (live.stream.bytes > before) {
    if (live.stream.bytes > (live.old?.bytes ?? 0)) heard(live, seen.monotonic, live.stream)
    live.figuresChanged = true
  }
  const { model } = live.digest
  if (model !== undefined && live.learnt?.model !== model) {
    live.learnt = { model, tokens: world.ledger.contextWindow(live.record.coder, model) }
  }
  if (live.pendingEvents.length > MOST_PENDING) writeEvents(world, live)
  return more
}

/** A flood does not wait in memory for the second to be over. */
const MOST_PENDING = 500

/** More of a script's output than this is not kept in one event. */
const TEXT = 1500
const LAST = 400

/** The half line at the end, when nothing more can come. */
export function followRest(world: World, live: LiveRun): void {
  const seen = seenNow(world)
  live.lines.flush((line, at) => {
    for (const event of eventsOf(live, line)) take(world, live, event, { at, seen })
  })
}

/** undefined: the line was too long to be kept. */
function eventsOf(live: LiveRun, line: string | undefined): readonly CoderEvent[] {
  if (line === undefined) return [{ type: 'unknown', raw: '(a line of more than 16 MB)' }]
  return line === '' ? [] : live.coder.parse(line)
}

/** When a look was made: all that it read was seen then. */
interface Seen {
  readonly monotonic: number
  readonly wall: number
  readonly ts: string
}

function seenNow({ clock }: World): Seen {
  const wall = clock.now()
  return { monotonic: clock.monotonic(), wall, ts: new Date(wall).toISOString() }
}

function take(world: World, live: LiveRun, event: CoderEvent, { at, seen }: { at: number; seen: Seen }): void {
  const old = live.old !== undefined && at < live.old.bytes
  const now = old ? live.lastOutputAt : seen.monotonic
  const isNews = at > live.knownUpTo && !isRepeatedUsage(live.digest, event)
  fold(live.digest, event, old ? live.old.at : seen.wall)
  live.firstEventAt ??= now
  if (event.type === 'result') live.resultAt = now
  // Hooks and notices may follow, and are a sign of life; only a new turn means that it goes on.
  else if (live.resultAt !== undefined) live.resultAt = continuedAfterResult(live.digest) ? undefined : now
  if (isNews) {
    const where = { ts: seen.ts, attempt: live.record.attempt, run: live.record.id, at }
    live.pendingEvents.push(JSON.stringify(eventLine(event, where, world.environment.redact)))
  }
}

/** What could not be written stays. */
export function writeEvents(world: World, { record, pendingEvents }: LiveRun): void {
  if (pendingEvents.length === 0) return
  world.attempts.appendEvents(record.task, pendingEvents)
  pendingEvents.length = 0
}

/** What could not be written stays. */
export function writeLog(world: World, { record, pendingLog }: LiveRun, ...more: readonly string[]): void {
  if (pendingLog.length + more.length === 0) return
  // Where it can never be written, as in a folder of that name, it must not grow for ever.
  pendingLog.splice(0, Math.max(0, pendingLog.length - MOST_PENDING))
  world.attempts.appendLog(record.task, [...pendingLog, ...more])
  pendingLog.length = 0
}

/** What is shown of it, and what was told: to the ledger and to the task's own files. */
export function writeDown(world: World, live: LiveRun): void {
  // First: an agent can make its own files unwritable, and then what it printed must still be known.
  if (live.figuresChanged) {
    const { bytes = 0 } = live.stream ?? {}
    const seen = bytes === 0 ? undefined : { bytes, sha256: live.stream?.sha256() ?? '' }
    world.ledger.progress(live.record.id, figuresOf(world, live), seen)
    live.figuresChanged = false
  }
  writeEvents(world, live)
  writeLog(world, live)
}

/** Its letters to fleet. The last `done` or `ask` counts; notes are written down. */
export function readLetters(world: World, live: LiveRun, how = { last: false }): void {
  const { attempt, id } = live.record
  for (const { item, at } of world.attempts.letters(live.record, how)) {
    hear(world, live, item)
    const told = mapStrings(item, world.environment.redact)
    live.pendingLog.push(taskLogLine({ id, attempt, at }, { event: item.kind, ...told }))
  }
}

/** What it told an earlier supervisor, for one that was adopted. */
export function readOldLetters(world: World, live: LiveRun): void {
  try {
    for (const { item } of world.attempts.oldLetters(live.record)) hear(world, live, item)
  } catch (error) {
    world.log('inbox-unreadable', { task: live.record.task, run: live.record.id, why: String(error) })
  }
}

function hear(world: World, live: LiveRun, item: InboxItem): void {
  if (item.kind === 'note') return
  live.said = mapStrings(item, world.environment.redact)
  live.askedAt = item.kind === 'ask' ? world.clock.monotonic() : undefined
}
