import type { OutcomeCode } from '../../domain/run/outcome.ts'
import type { Run } from '../../domain/run/run.ts'
import type { RetryingWork } from '../retrying-work.ts'
import { writeLog } from '../run/follow.ts'
import type { Leftover, LiveRun } from '../run/live-run.ts'
import { endLine } from '../run/task-log.ts'
import type { World } from '../world.ts'
import { rewriteReceipt } from './receipt.ts'
import { askedBy, type RecordedEnd } from './record-end.ts'

/** Brings the files of the task up to date. The ledger has it all: a folder that an agent made unwritable loses nothing. */
export function cleanUp(
  { world, work }: { world: World; work: RetryingWork },
  live: LiveRun,
  { run, failures, amended }: RecordedEnd,
): void {
  if (amended !== undefined) rewriteReceipt(world, run, amended)
  work.attempt('write the question', () => writeQuestion(world, live, run))
  work.attempt('write the task folder', () => {
    world.attempts.project(run.task, { attempt: run.attempt, failures })
    writeLog(world, live, endLine(run))
  })
  answerRequests(world, live)
}

function writeQuestion(world: World, live: LiveRun, { outcome, endedAt }: Run): void {
  const asked = outcome === null ? undefined : askedBy(live, outcome)
  if (outcome === null || asked === undefined) return
  const { options, suggestion } = asked
  const awaited = outcome.code === 'question'
  const text = awaited ? outcome.text : `${asked.text}\n\n(asked and not waited for: ${outcome.code})`
  world.questions.asked(live.record.task, { text, options, suggestion: suggestion ?? null, at: endedAt ?? 0 })
}

/** Tells the people who asked for its end and wait. */
export function answerRequests({ ledger, clock }: World, live: LiveRun, more = ''): void {
  const { requests } = live.ending
  const end = { kind: 'done', at: clock.now(), text: `${answerOf(live)}${more}` } as const
  for (const request of requests) ledger.endRequest(request, end)
  requests.length = 0
}

/** A stop that a person asks for outweighs all but a task that was taken away, unless the outcome was decided before. */
const OBEYED: ReadonlySet<OutcomeCode> = new Set(['killed', 'paused', 'told', 'taken-away'])

/** In the ledger's words, which hold no secret. */
function answerOf({ ending: { leftovers, signal, recorded } }: LiveRun): string {
  if (recorded?.run.outcome == null) return 'ended'
  const { code, text } = recorded.run.outcome
  const said = OBEYED.has(code) ? text : `it had ended before: ${text}`
  const outcome = signal === undefined ? said : `${said} (${signal})`
  const killed = named(leftovers.filter(({ left }) => left !== true))
  const left = named(leftovers.filter((each) => each.left === true))
  return [
    outcome,
    ...(killed === '' ? [] : [`killed what was left: ${killed}`]),
    ...(left === '' ? [] : [`left running, because it belongs to another user: ${left}`]),
  ].join('; ')
}

/** The rest of a crowd is only counted. */
const NAMED = 20

function named(found: readonly Leftover[]): string {
  const names = found.slice(0, NAMED).map(({ pid, command }) => `${pid} (${command.slice(0, 60)})`)
  return [...names, ...(found.length > NAMED ? [`and ${found.length - NAMED} more`] : [])].join(', ')
}
