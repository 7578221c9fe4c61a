import { isSuspicious } from '../../domain/run/suspicion.ts'
import type { TaskSettings } from '../../domain/task/settings.ts'
import { rfc3339 } from '../../domain/task/time.ts'
import { holdText } from '../hold.ts'
import type { QueuedTask } from '../not-running.ts'
import type { AwaitedReviewer } from '../review/awaited-reviewer.ts'
import type { Snapshot } from '../snapshot.ts'
import type { Verifying } from '../verifying.ts'
import { runJson, spentJson } from './run.ts'

/** The snapshot for programs: times in RFC 3339, null where a value is unknown. */
export function snapshotJson({
  now,
  supervisor,
  attention,
  running,
  elsewhere,
  rest,
}: Snapshot): Record<string, unknown> {
  return {
    schema_version: 1,
    supervisor: supervisor === undefined ? null : { pid: supervisor.pid },
    attention: attention.rows.map((each) => timesIn(each)),
    running: running.rows.map(({ run, given, verifying, awaits }) => ({
      ...runJson(run),
      verifying: verifying === undefined ? null : verifyingJson(verifying),
      review_waits: awaits === undefined ? null : reviewWaitsJson(awaits),
      suspicious: isSuspicious(run, now),
      defaults: defaultsOf(given),
    })),
    ...(elsewhere === undefined ? {} : { elsewhere: elsewhere.rows }),
    ...(rest === undefined
      ? {}
      : {
          queued: rest.queued.rows.map(queuedJson),
          waiting: rest.waiting.rows.map(({ id, title, hold }) => ({
            id,
            title,
            kind: hold.kind,
            reason: holdText(hold),
            until: hold.until === null ? null : rfc3339(hold.until),
            blocked_by: hold.kind === 'blocked' ? hold.by : [],
          })),
          ended: rest.ended.rows.map(({ last, spent, status }) => {
            return { ...runJson(last), attempts: last.attempt, total: spentJson(spent), status: status ?? null }
          }),
        }),
  }
}

function verifyingJson({ name, command, startedAt }: Verifying): Record<string, unknown> {
  return { name, command, started_at: rfc3339(startedAt) }
}

function reviewWaitsJson({ coder, reason, until }: AwaitedReviewer): Record<string, unknown> {
  return { coder, reason, until: until === null ? null : rfc3339(until) }
}

function queuedJson({ id, title, priority, given, assignment }: QueuedTask): Record<string, unknown> {
  return {
    id,
    title,
    priority,
    cwd: given.cwd ?? null,
    coder: assignment?.coder.value ?? given.coder ?? null,
    model: assignment?.model.value ?? given.model ?? null,
    defaults: defaultsOf(given),
  }
}

function defaultsOf(given: TaskSettings): string[] {
  return (['cwd', 'coder', 'model'] as const).filter((name) => given[name] === undefined)
}

const TIMES: Readonly<Record<string, string>> = { at: 'at', until: 'until', askedAt: 'asked_at' }

function timesIn(attention: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(attention).map(([name, value]) => {
      const as = TIMES[name]
      return as === undefined ? [name, value] : [as, typeof value === 'number' ? rfc3339(value) : value]
    }),
  )
}
