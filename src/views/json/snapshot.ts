import { contextPct, tokensOf } from '../../cli/render/figures.ts'
import { holdText } from '../../cli/render/tasks.ts'
import type { Outcome } from '../../domain/run/outcome.ts'
import type { Run, Spent } from '../../domain/run/run.ts'
import { servedWarning } from '../../domain/run/served-model.ts'
import { isSuspicious } from '../../domain/run/suspicion.ts'
import type { TaskSettings } from '../../domain/task/settings.ts'
import { rfc3339 } from '../../domain/task/time.ts'
import type { QueuedTask } from '../rest.ts'
import type { Snapshot } from '../snapshot.ts'

/** The same document for programs: times in RFC 3339, null where nothing is known. */
export function tasksJson({ now, supervisor, attention, running, elsewhere, rest }: Snapshot): Record<string, unknown> {
  return {
    schema_version: 1,
    supervisor: supervisor === undefined ? null : { pid: supervisor.pid },
    attention: attention.rows.map((each) => timesIn(each)),
    running: running.rows.map(({ run, given }) => ({
      ...runJson(run),
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
            until: time(hold.until),
            blocked_by: hold.kind === 'blocked' ? hold.by : [],
          })),
          ended: rest.ended.rows.map(({ last, spent, status }) => {
            return { ...runJson(last), attempts: last.attempt, total: spentJson(spent), status: status ?? null }
          }),
        }),
  }
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

/** The fields beside it are those of the last attempt. */
function spentJson({ usage, costUsd, durationMs }: Spent): Record<string, unknown> {
  return { duration_ms: durationMs, tokens: tokensOf(usage) ?? null, usage, cost_usd: costUsd }
}

export function runJson(run: Run): Record<string, unknown> {
  const { figures } = run
  return {
    id: run.task,
    title: run.title,
    run: run.id,
    attempt: run.attempt,
    phase: run.phase,
    pid: run.proc?.pid ?? null,
    started_at: time(run.startedAt),
    ended_at: time(run.endedAt),
    last_event_at: time(figures.lastEventAt),
    coder: run.coder,
    model: run.model,
    served_model: figures.servedModel,
    lane: run.lane,
    cwd: run.cwd,
    session: figures.session,
    outcome: run.outcome === null ? null : outcomeJson(run.outcome),
    context_peak: figures.contextPeak,
    context_window: figures.contextWindow,
    context_pct: contextPct(figures) ?? null,
    tokens: tokensOf(figures.usage) ?? null,
    usage: figures.usage,
    cost_usd: figures.costUsd,
    estimated: figures.estimated,
    warnings: [servedWarning(run.model, figures.servedModel) ?? []].flat(),
    events: figures.events,
    tool_calls: figures.toolCalls,
    open_tool: figures.openTool,
  }
}

function time(at: number | null): string | null {
  return at === null ? null : rfc3339(at)
}

function outcomeJson({ code, text, by, resetsAt }: Outcome): Record<string, unknown> {
  return { code, text, by: by ?? null, resets_at: time(resetsAt ?? null) }
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
