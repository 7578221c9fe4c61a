import { FAILED_HOOKS } from '../../domain/agent/hook.ts'
import { HOOK_PART, type HookMessage, orderKey, orderName, TAKEN, TOLD } from '../../domain/agent/hook-order.ts'
import type { InboxItem } from '../../domain/agent/inbox.ts'
import { signedText } from '../../domain/agent/letter-proof.ts'
import { type Message, nextMessages } from '../../domain/agent/message.ts'
import { taskLogLine } from '../../domain/agent/task-log.ts'
import { continuedAfterResult } from '../../domain/run/digest.ts'
import type { Outcome, OutcomeCode } from '../../domain/run/outcome.ts'
import { shownComments } from '../../domain/run/prompt-news.ts'
import type { Subject } from '../../domain/run/told.ts'
import type { Comment } from '../../domain/task/comment.ts'
import { rfc3339 } from '../../domain/task/time.ts'
import type { World } from '../world.ts'
import { toldTo } from './launch-record.ts'
import type { LiveRun } from './live-run.ts'

/** The order for one message in the folder of a run's hooks. */
export type HandOver =
  /** The folder cannot be used, as an agent can spoil it: it is tried again. */
  | { readonly kind: 'failing' }
  /** `takenSince`: a call of a hook has taken it and printed nothing yet. Of the monotonic clock. */
  | { readonly kind: 'left'; readonly takenSince?: number }

/** Leaves the messages that no agent was told yet where the hooks of their runs look. */
export function handOver(world: World, runs: readonly LiveRun[]): void {
  const listening = runs.filter(({ coder, state }) => coder.traits.hooks === true && state.phase === 'running')
  if (listening.length === 0) return
  for (const message of world.ledger.messages.waiting()) {
    const live = listening.find(({ record }) => record.task === message.task)
    if (live === undefined) continue
    const before = live.messages.get(message.id)
    if (before === undefined && isInPrompt(world, live, message)) continue
    live.messages.set(message.id, handedOver(world, { live, message, before }))
  }
}

/** Coders end a call of a hook after half of that, so the call that took the order was killed. */
const TAKEN_MS = 60_000

function handedOver(
  world: World,
  { live, message, before }: { live: LiveRun; message: Message; before: HandOver | undefined },
): HandOver {
  const { attempts, clock, log } = world
  const { id, task, attempt } = live.record
  try {
    const file = `${HOOK_PART}/${orderName(orderOf(world, live, message))}`
    const isThere = (end = ''): boolean => attempts.has(task, attempt, [`${file}${end}`])
    if (isThere() || isThere(TOLD)) return { kind: 'left' }
    if (isThere(TAKEN)) {
      const takenSince = (before?.kind === 'left' ? before.takenSince : undefined) ?? clock.monotonic()
      if (clock.monotonic() - takenSince < TAKEN_MS) return { kind: 'left', takenSince }
    } else if (before?.kind === 'left') {
      // Its agent has removed it, and reads the message in its next prompt.
      return before
    }
    leave(world, live, { message, file })
    return { kind: 'left' }
  } catch (error) {
    if (before?.kind !== 'failing') {
      log('message-not-handed-over', { task, run: id, message: message.id, why: String(error) })
    }
    return { kind: 'failing' }
  }
}

/** A run may begin between the comment of a message and its record. */
function isInPrompt(world: World, { record }: LiveRun, { id, task, comment }: Message): boolean {
  const told = shownComments(toldTo(world, record)?.comments ?? [])
  if (!told.includes(comment)) return false
  world.ledger.messages.delivered({ id, task }, { run: record.id, how: 'prompt', at: record.startedAt, before: null })
  return true
}

function orderOf({ environment }: World, { record }: LiveRun, { id, at, by, text }: Message): HookMessage {
  return { v: 1, run: record.id, kind: 'message', id, at, by, text: environment.redact(text) }
}

function leave(world: World, live: LiveRun, { message, file }: { message: Message; file: string }): void {
  const { attempts, ledger, clock, log } = world
  const { record, unwritten } = live
  const { id, task, by } = message
  const order = orderOf(world, live, message)
  // Behind a link that the agent made, the folder is a person's.
  if (!attempts.isPart(task, record.attempt, HOOK_PART)) attempts.part(task, record.attempt, HOOK_PART)
  attempts.replace(task, record.attempt, file, signedText(order, orderKey(ledger.secret())))
  const line = { event: 'told', messages: [id], by, text: order.text } as const
  unwritten.log.push(taskLogLine({ ...record, at: clock.now() }, line))
  log('message-handed-over', { task, run: record.id, message: id })
}

/** A message that a person told on another machine: the comment has come by the shared queue. false: it is gone. */
export async function takeIn({ queue, ledger, clock }: World, task: string, comment: string): Promise<boolean> {
  const found = (await queue.comments(task)).find(({ id }) => id === comment)
  if (found === undefined) return false
  ledger.messages.add({ task, comment, by: found.author, at: clock.now(), text: found.text })
  return true
}

/** The receipt of a hook. It is the word of this run about messages to its own task. */
export function noteDelivered(
  { ledger, log }: World,
  { record: { id: run, task } }: LiveRun,
  { item, at }: { readonly item: Extract<InboxItem, { kind: 'delivered' }>; readonly at: number },
): void {
  for (const id of item.messages) {
    const before = item.before ?? null
    if (ledger.messages.delivered({ id, task }, { run, how: 'hook', at, before })) {
      log('message-delivered', { task, run, message: id, before })
    }
  }
}

/**
 * A coder that is stopped in a tool may forget what a hook said before it. So a message counts as read only if the run ended
 * its turn, or its model answered well after: otherwise it is told again in the next prompt, and some are told twice.
 */
export function reopenUnheard({ ledger, log }: World, { record, digest, output }: LiveRun): void {
  if (digest.result?.ok === true && !continuedAfterResult(digest)) return
  const { id: run, task } = record
  for (const { id, delivery } of ledger.messages.of(task)) {
    const isOurs = delivery?.how === 'hook' && delivery.run === run
    if (!isOurs || (output.answeredAt ?? 0) >= delivery.at + SURELY_LATER_MS) continue
    ledger.messages.reopen({ id, task })
    log('message-perhaps-unread', { task, run, message: id })
  }
}

/** The output of a run is read some time after it was written: an answer that was read soon after may be an earlier one. */
const SURELY_LATER_MS = 10_000

/**
 * Sorts the comments for the prompt of the run: messages that no agent was told yet, and others. The messages count as told
 * from here on: a message that makes a run go on without its task being judged can do so once.
 */
export function tellInPrompt(
  { ledger, environment }: World,
  { id: run, task, startedAt }: LiveRun['record'],
  subject: Subject,
): Subject & { readonly messages: readonly Comment[] } {
  const waiting = ledger.messages.of(task).filter(({ delivery }) => delivery === null)
  const told = nextMessages(waiting)
  for (const message of told) ledger.messages.delivered(message, { run, how: 'prompt', at: startedAt, before: null })
  const ids = new Set(waiting.map(({ comment }) => comment))
  return {
    ...subject,
    comments: subject.comments.filter(({ id }) => !ids.has(id)),
    messages: told.map(({ comment: id, by: author, at, text }) => ({
      id,
      issue_id: task,
      author,
      text: environment.redact(text),
      created_at: rfc3339(at),
    })),
  }
}

/** The comments that a session knows because a hook told them to it. */
export function toldByHook({ ledger }: World, task: string, session: string): readonly string[] {
  const runs = new Set(
    ledger
      .runsOf(task)
      .filter(({ figures, resumes }) => figures.session === session || resumes === session)
      .map(({ id }) => id),
  )
  return ledger.messages
    .of(task)
    .flatMap(({ comment, delivery }) => (delivery?.how === 'hook' && runs.has(delivery.run) ? [comment] : []))
}

/**
 * A run that ended its turn before it had read a message goes on in its session instead. Where it waits for a person or a
 * limit, its next prompt has the message. Asked before its checks, before its receipt, and in the transaction that ends it:
 * a person who tells it something after that is refused.
 */
export function unlessUnread(world: World, live: LiveRun, outcome: Outcome): Outcome {
  if (!ENDS_WORK.has(outcome.code) || live.coder.traits.evidence === 'exit') return outcome
  const messages = world.ledger.messages.of(live.record.task)
  const unread = messages.find((each) => each.delivery === null && !isInPrompt(world, live, each))
  if (unread === undefined) return outcome
  return { code: 'told', text: `it ended its turn before it had read a message of ${unread.by}`, by: unread.by }
}

const ENDS_WORK: ReadonlySet<OutcomeCode> = new Set([
  'done',
  'no-claim',
  'no-evidence',
  'no-progress',
  'denied',
  'needs-review',
  'needs-landing',
])

/** Calls of its hooks that failed. They let the tools pass, so people have to be told. */
export function noteFailedHooks({ attempts, log }: World, { record: { id, task, attempt } }: LiveRun): void {
  const failed = attempts.read(task, attempt, `${HOOK_PART}/${FAILED_HOOKS}`)
  if (failed !== undefined) log('hooks-failed', { task, run: id, times: failed.trim().split('\n').length })
}
