import { refusedEditText } from '../../domain/agent/refused-edit.ts'
import { recordedChanges } from '../../domain/run/changes.ts'
import type { CheckResult } from '../../domain/run/check-result.ts'
import type { Outcome } from '../../domain/run/outcome.ts'
import type { CheckOnReceipt, Receipt } from '../../domain/run/receipt.ts'
import type { Run } from '../../domain/run/run.ts'
import { servedWarning } from '../../domain/run/served-model.ts'
import { mapStrings } from '../../domain/text/redact.ts'
import type { Found } from '../../ports/agents.ts'
import { figuresOf } from '../run/figures.ts'
import { writeEvents } from '../run/follow.ts'
import type { LiveRun } from '../run/live-run.ts'
import { unusedKey } from '../run/payer.ts'
import type { World } from '../world.ts'
import { toleratingAgentLockout } from './agent-lockout.ts'
import { type Findings, saidBy } from './judge.ts'
import { askedBy } from './record-end.ts'

/**
 * Written from the decided outcome, before the ledger has it. A supervisor that dies in between leaves a run that is judged
 * again, and its receipt is replaced whole.
 */
export async function writeReceipt(
  world: World,
  live: LiveRun,
  { findings, outcome }: { findings: Findings; outcome: Outcome },
): Promise<void> {
  const decided = { ...outcome, text: world.environment.redact(outcome.text) }
  await toleratingAgentLockout(world, live, () => {
    replaceReceipt(world, live.record, receiptOf(world, live, { findings, decided }))
    writeEvents(world, live)
  })
}

/** Adds what was found and killed after the receipt was written. */
export function amendReceipt(world: World, run: Run, found: readonly Found[]): void {
  const text = world.attempts.read(run.task, run.attempt, 'receipt.json')
  if (text === undefined) return
  const receipt = JSON.parse(text) as Receipt
  const known = new Set(receipt.leftovers.map(({ pid }) => pid))
  const late = found.map(({ pid, command }) => ({ pid, command })).filter(({ pid }) => !known.has(pid))
  replaceReceipt(world, run, { ...receipt, leftovers: [...receipt.leftovers, ...late] })
}

/** An agent also chooses the names of files, branches and models: nothing on a receipt reveals a secret. */
function replaceReceipt({ attempts, environment }: World, { task, attempt }: Run, receipt: Receipt): void {
  const clean = mapStrings(receipt, environment.redact)
  attempts.replace(task, attempt, 'receipt.json', `${JSON.stringify(clean, undefined, 2)}\n`)
}

function receiptOf(
  world: World,
  live: LiveRun,
  { findings, decided }: { findings: Findings; decided: Outcome },
): Receipt {
  const { exit, judgement, changes, altered, edit, temporary } = findings
  const { record, digest } = live
  const { stream } = live.output
  const changed = changes && (recordedChanges(changes.all) ?? { files: [], commits: [], artifacts: [] })
  const figures = figuresOf(world, live)
  const endedAt = world.clock.now()
  const said = saidBy(live)
  const served = new Set([...digest.models, figures.servedModel])
  const checks = findings.checks.map((each) => checkOnReceipt(world, each))
  return {
    v: 1,
    run: record.id,
    task: record.task,
    attempt: record.attempt,
    coder: record.coder,
    model: record.model,
    served_model: figures.servedModel,
    served_models: [...digest.models],
    coder_version: figures.coderVersion,
    payer: digest.payer ?? null,
    session: figures.session,
    started_at: new Date(record.startedAt).toISOString(),
    ended_at: new Date(endedAt).toISOString(),
    duration_ms: durationOf(world, live, endedAt - record.startedAt),
    claim:
      said?.kind === 'done' ? { how: said.how, summary: said.summary } : exitClaim(world, live, { findings, decided }),
    question: said?.kind === 'ask' ? said.text : (askedBy(live, decided)?.text ?? null),
    level: judgement.level,
    outcome: decided,
    ...(checks.length > 0 && { checks }),
    ...(digest.denied > 0 && { denied: { count: digest.denied, calls: digest.denials } }),
    evidence: {
      exit,
      tool_calls: digest.toolCalls,
      files_changed: changed?.files ?? null,
      files_changed_count: changes?.all.files.length ?? null,
      commits: changed?.commits ?? null,
      artifacts: changed?.artifacts ?? null,
      events: digest.events,
      stdout: { bytes: stream?.bytes ?? 0, sha256: stream?.sha256() ?? '', altered },
    },
    usage: { ...figures.usage, cost_usd: figures.costUsd, estimated: figures.estimated },
    context_peak: figures.contextPeak,
    context_window: figures.contextWindow,
    leftovers: live.ending.leftovers.map(({ pid, command, left }) => ({ pid, command, ...(left && { left }) })),
    tmp_bytes: temporary?.bytes ?? 0,
    warnings: [
      ...[...served].map((model) => servedWarning(record.model, model)),
      unusedKey(world, live),
      edit && refusedEditText(record.task, edit),
      unawaited(live, decided),
      temporary?.problem && `its temporary folder held more than tmp_bytes says: ${temporary.problem}`,
    ].flatMap((warning) => warning ?? []),
  }
}

function unawaited(live: LiveRun, decided: Outcome): string | undefined {
  const asked = decided.code === 'question' ? undefined : askedBy(live, decided)
  return asked && `it asked a question and did not wait for the answer: ${asked.text}`
}

/** A coder that claims by its exit: the summary is the judged one, also if a check decided otherwise. */
function exitClaim(
  { environment }: World,
  { coder }: LiveRun,
  { findings, decided }: { findings: Findings; decided: Outcome },
): Receipt['claim'] {
  if (coder.traits.claim !== 'exit') return null
  if (decided.code === 'done') return { how: 'exit', summary: decided.text }
  if (findings.checks.length === 0) return null
  return { how: 'exit', summary: environment.redact(findings.judgement.outcome.text) }
}

function checkOnReceipt({ environment }: World, { name, verdict }: CheckResult): CheckOnReceipt {
  const { kind } = verdict
  if (kind === 'passed') return { name, verdict: kind, text: null }
  return { name, verdict: kind, text: environment.redact(kind === 'failed' ? verdict.outcome.text : verdict.text) }
}

/** A clock that was set less than a second ago is not followed yet: the run then lasted as long as it was watched. */
const UNEXPLAINED_MS = 5000

function durationOf({ clock }: World, { startedAt }: LiveRun, wall: number): number {
  const watched = Math.max(0, Math.round(clock.monotonic() - startedAt))
  return wall < watched - UNEXPLAINED_MS ? watched : Math.max(0, wall)
}
