import { contextPct, tokensOf } from '../../domain/run/figures.ts'
import type { Outcome } from '../../domain/run/outcome.ts'
import type { Run } from '../../domain/run/run.ts'
import { servedWarning } from '../../domain/run/served-model.ts'
import type { Spent } from '../../domain/run/spent.ts'
import { rfc3339 } from '../../domain/task/time.ts'

/** One attempt for programs. */
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
    project: run.project,
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
    silence: figures.silence,
  }
}

/** The sum over attempts; `tokens_missing` and `cost_missing` count the attempts whose share is unknown. */
export function spentJson({ usage, costUsd, durationMs, tokensMissing, costMissing }: Spent): Record<string, unknown> {
  return {
    duration_ms: durationMs,
    tokens: tokensOf(usage) ?? null,
    usage,
    cost_usd: costUsd,
    tokens_missing: tokensMissing,
    cost_missing: costMissing,
  }
}

function time(at: number | null): string | null {
  return at === null ? null : rfc3339(at)
}

function outcomeJson({ code, text, by, resetsAt, stall, sequence }: Outcome): Record<string, unknown> {
  const { cause = null, evidence = [] } = stall ?? {}
  const more = { ...(cause && { cause, evidence }), ...(sequence && { sequence }) }
  return { code, text, by: by ?? null, resets_at: time(resetsAt ?? null), ...more }
}
