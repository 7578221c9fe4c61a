import { type ForgedLetter, isWord, type Letter, type NamedLetter } from '../../domain/agent/inbox.ts'
import { taskLogLine } from '../../domain/agent/task-log.ts'
import { isToldLate, keptTrace, traceEvent, traceLook } from '../../domain/evidence/trace.ts'
import { continuedAfterResult, fold, isAnswer, isRepeatedUsage } from '../../domain/run/digest.ts'
import type { CoderEvent } from '../../domain/run/event.ts'
import { eventLine, leftOutLine } from '../../domain/run/event-line.ts'
import type { Traces } from '../../domain/run/run.ts'
import { foldCall, noteRefused } from '../../domain/scope/called.ts'
import { mapStrings } from '../../domain/text/redact.ts'
import type { Correspondent } from '../../ports/attempts.ts'
import type { World } from '../world.ts'
import { judgingOf } from './call-bounds.ts'
import { figuresOf } from './figures.ts'
import { sha256 } from './launch-record.ts'
import { heard, type LiveRun } from './live-run.ts'
import { noteDelivered } from './messages.ts'
import { answerCalls } from './outside-calls.ts'

/**
 * Reads what an agent printed since the last look, at most one buffer, so that ten floods do not hold up the others.
 * True: there is unread output.
 */
export function follow(world: World, live: LiveRun): boolean {
  const { output } = live
  output.stream ??= world.attempts.follow(live.record.task, live.record.attempt, output.file)
  const { stream } = output
  const before = stream.bytes
  const isText = live.coder.traits.stream === 'text'
  let text = ''
  let last = ''
  let cut = false
  let textAt = -1
  const seen = seenNow(world)
  const more = stream.read((bytes) => {
    output.lines.feed(bytes, (line, at) => {
      // The output of a script between two looks is one event; the file has all of it.
      if (isText) {
        last = line ?? ''
        if (text.length < TEXT) text += `${last}\n`
        else cut = true
        textAt = at
      } else takeLine(world, live, eventsOf(live, line), { at, seen })
    })
  })
  output.written = more ? stream.size() : stream.bytes
  // Its last line may be its summary.
  const printed = cut ? `${text.slice(0, TEXT)}…\n${last.slice(0, LAST)}` : text
  if (textAt !== -1) for (const event of eventsOf(live, printed)) take(world, live, event, { at: textAt, seen })
  if (!isText) {
    const hasOutput = stream.bytes > before
    traceLook(live.trace, { ...seen, writtenAt: () => stream.changedAt(), hasOutput, more })
  }
  if (stream.bytes > before) {
    if (stream.bytes > (output.old?.bytes ?? 0)) heard(live, seen.monotonic, stream)
    live.unwritten.figuresChanged = true
  }
  const { model } = live.digest
  if (model !== undefined && live.accounting.window?.model !== model) {
    live.accounting.window = { model, tokens: world.ledger.contextWindow(live.record.coder, model) }
  }
  if (live.unwritten.events.length > MOST_UNWRITTEN) writeEvents(world, live)
  return more
}

/** Bounds memory: a flood is written before the second is over. */
const MOST_UNWRITTEN = 500

/** Most characters of a script's output in one event. */
const TEXT = 1500
const LAST = 400

/** The half line at the end, when nothing more can come. */
export function followRest(world: World, live: LiveRun): void {
  const seen = seenNow(world)
  live.output.lines.flush((line, at) => takeLine(world, live, eventsOf(live, line), { at, seen }))
}

/** undefined: the line was too long to be kept, and no JSON. */
function eventsOf(live: LiveRun, line: string | undefined): readonly CoderEvent[] {
  if (line === undefined) return [{ type: 'unknown', raw: '(a line of more than 16 MB)' }]
  return line === '' ? [] : live.coder.parse(line)
}

/** The time of a look, for all that it read. */
interface Seen {
  readonly monotonic: number
  readonly wall: number
  readonly ts: string
}

function seenNow({ clock }: World): Seen {
  const wall = clock.now()
  return { monotonic: clock.monotonic(), wall, ts: new Date(wall).toISOString() }
}

function takeLine(world: World, live: LiveRun, events: readonly CoderEvent[], where: { at: number; seen: Seen }): void {
  for (const event of events) {
    traceEvent(live.trace, event, where.at < live.output.tracedUpTo)
    foldCall(live.called, event, () => judgingOf(world, live))
    take(world, live, event, where)
  }
  if (events.length > 1 && isToldLate(events)) live.trace.toldLate = true
}

function take(world: World, live: LiveRun, event: CoderEvent, { at, seen }: { at: number; seen: Seen }): void {
  const { output } = live
  const old = output.old !== undefined && at < output.old.bytes
  const now = old ? output.lastAt : seen.monotonic
  const isNews = at > output.knownUpTo && !isRepeatedUsage(live.digest, event)
  fold(live.digest, event, old ? output.old.at : seen.wall)
  // When an earlier answer came is not known: only a new one says that the lane works now.
  if (!old && isAnswer(event)) output.answeredAt = seen.wall
  output.firstEventAt ??= now
  if (event.type === 'result') output.resultAt = now
  // Hooks and notices may follow a result, and are a sign of life; only a new turn means that the agent works on.
  else if (output.resultAt !== undefined) output.resultAt = continuedAfterResult(live.digest) ? undefined : now
  if (isNews && live.unwritten.eventRoom >= 0) {
    const where = { ts: seen.ts, attempt: live.record.attempt, run: live.record.id, at }
    const line = JSON.stringify(eventLine(event, where, world.environment.redact))
    live.unwritten.eventRoom -= line.length
    live.unwritten.events.push(live.unwritten.eventRoom >= 0 ? line : JSON.stringify(leftOutLine(where)))
  }
}

/** On failure all lines are kept for the next try. */
export function writeEvents(world: World, { record, unwritten: { events } }: LiveRun): void {
  if (events.length === 0) return
  world.attempts.appendEvents(record.task, events)
  events.length = 0
}

/** On failure the lines are kept for the next try, except `more`. */
export function writeLog(world: World, { record, unwritten: { log } }: LiveRun, ...more: readonly string[]): void {
  if (log.length + more.length === 0) return
  // It must not grow for ever where it can never be written, as with a folder of that name.
  log.splice(0, Math.max(0, log.length - MOST_UNWRITTEN))
  world.attempts.appendLog(record.task, [...log, ...more])
  log.length = 0
}

/** Figures to the ledger, events and log lines to the task's own files. */
export function writeDown(world: World, live: LiveRun): void {
  const { output, unwritten } = live
  // The ledger first: an agent can make its own files unwritable.
  if (unwritten.figuresChanged) {
    const { bytes = 0 } = output.stream ?? {}
    const seen = bytes === 0 ? undefined : { bytes, sha256: output.stream?.sha256() ?? '' }
    world.ledger.progress(live.record.id, figuresOf(world, live), { ...(seen && { stdout: seen }), ...newTraces(live) })
    unwritten.figuresChanged = false
  }
  writeEvents(world, live)
  writeLog(world, live)
}

/** For the judgement of other runs on the same tree, and for the next supervisor. */
export function tracesOf({ coder, trace }: LiveRun): Traces {
  if (coder.traits.stream === 'text') return {}
  return { work: keptTrace(trace, { toldLate: coder.toolsToldLate }), named: [...trace.named] }
}

/** The paths may be many, and only new ones are worth writing. */
function newTraces(live: LiveRun): Traces {
  const { work, named } = tracesOf(live)
  if (work === undefined || live.trace.named.size === live.unwritten.namedWritten) return { ...(work && { work }) }
  live.unwritten.namedWritten = live.trace.named.size
  return { work, ...(named && { named }) }
}

/** Its letters to fleet. The last `done` or `ask` counts; notes only go into the log. */
export function readLetters(world: World, live: LiveRun, how = { last: false }): void {
  const { attempt, id } = live.record
  const { letters, forged } = world.attempts.letters(correspondent(live), how)
  for (const letter of forged) refuse(world, live, letter)
  keepLetters(world, live, letters)
  answerCalls(world, live, letters)
  for (const letter of letters) {
    const { item, at } = letter
    hear(world, live, letter)
    if (item.kind === 'delivered') noteDelivered(world, live, { item, at })
    if (item.kind === 'refused') noteRefused(live.called, item)
    if (live.unwritten.letterRoom < 0) continue
    const told = mapStrings(item, world.environment.redact)
    const line = taskLogLine({ id, attempt, at }, { event: item.kind, ...told })
    live.unwritten.letterRoom -= line.length
    const isCut = live.unwritten.letterRoom < 0
    live.unwritten.log.push(
      isCut ? taskLogLine({ id, attempt, at }, { event: 'letters-left-out', text: LEFT_OUT }) : line,
    )
  }
}

const LEFT_OUT = 'it has written too much to fleet: from here on its letters are left out of this log'

/** In the ledger too: the agent can change their files. */
function keepLetters(
  { ledger, environment }: World,
  { record, letters }: LiveRun,
  taken: readonly NamedLetter[],
): void {
  const more = taken.filter(({ item }) => isWord(item))
  if (more.length === 0) return
  const kept = more.map(({ name, text, item, at }) => ({
    name,
    at,
    sha256: sha256(text),
    item: mapStrings(item, environment.redact),
  }))
  letters.kept = [...letters.kept, ...kept].slice(-MOST_KEPT)
  ledger.keepLetters(record.id, letters.kept)
}

/** The last one counts; a flood of them must not fill the ledger. */
const MOST_KEPT = 10

/**
 * The letters that an earlier supervisor took from a run that is adopted now: those of the ledger, then files that it had no
 * time to write down.
 */
export function readOldLetters(world: World, live: LiveRun): void {
  const { letters: kept } = world.ledger.recordsOf(live.record.id)
  live.letters.kept = kept
  for (const letter of kept) hear(world, live, letter)
  try {
    const { letters, forged } = world.attempts.oldLetters(correspondent(live))
    for (const letter of forged) note(live, letter)
    const files = new Map(letters.map((letter) => [letter.name, letter]))
    for (const { name, sha256: known } of kept) {
      if (sha256(files.get(name)?.text ?? '') !== known) live.ending.altered.add(`inbox/${name}`)
      files.delete(name)
    }
    const last = kept.at(-1)?.name ?? ''
    const unknown = [...files.values()].filter(({ name }) => kept.length < MOST_KEPT || name > last)
    keepLetters(world, live, unknown)
    for (const letter of unknown) hear(world, live, letter)
    for (const { item, at } of letters) {
      if (item.kind === 'delivered') noteDelivered(world, live, { item, at })
      if (item.kind === 'refused') noteRefused(live.called, item)
    }
  } catch (error) {
    world.log('inbox-unreadable', { task: live.record.task, run: live.record.id, why: String(error) })
  }
}

function correspondent({ record, letters }: LiveRun): Correspondent {
  return { ...record, letterCheck: letters.check }
}

/** A letter that another agent handed in for this run. It counts for nothing, and people are told. */
function refuse(world: World, live: LiveRun, letter: ForgedLetter): void {
  note(live, letter)
  if (live.letters.forgedCount > MOST_FORGED) return
  const { task, id: run } = live.record
  const of = letter.from === run ? null : (world.ledger.run(letter.from)?.task ?? null)
  world.log('letter-refused', { task, run, ...letter, of })
}

/** Bounds the log and the receipt: an agent can hand in any number. */
const MOST_FORGED = 10

function note({ letters }: LiveRun, letter: ForgedLetter): void {
  if (letters.forgedCount++ < MOST_FORGED) letters.forged.push(letter)
}

function hear(world: World, live: LiveRun, { item, at }: Pick<Letter, 'item' | 'at'>): void {
  if (!isWord(item) || live.letters.heard.has(at)) return
  live.letters.heard.add(at)
  const said = mapStrings(item, world.environment.redact)
  live.letters.said = said
  if (said.kind === 'ask') live.letters.asked = said
  live.letters.askedAt = item.kind === 'ask' ? world.clock.monotonic() : undefined
}
