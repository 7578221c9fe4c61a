import { refusedEditText } from '../../domain/agent/refused-edit.ts'
import { type ChangedFile, changedWarning } from '../../domain/fleet/home-file.ts'
import { countOf, recordedChanges, type Untraced } from '../../domain/run/changes.ts'
import type { CheckResult } from '../../domain/run/check-result.ts'
import { type Damage, damageText } from '../../domain/run/damage.ts'
import { isPassed, type Outcome } from '../../domain/run/outcome.ts'
import {
  type CheckOnReceipt,
  commandOnReceipt,
  type Receipt,
  receiptText,
  type ScopeOnReceipt,
  type UntracedOnReceipt,
} from '../../domain/run/receipt.ts'
import type { Run } from '../../domain/run/run.ts'
import { servedWarning } from '../../domain/run/served-model.ts'
import { idleSubagentsWarning, workDone } from '../../domain/run/work-done.ts'
import type { Called } from '../../domain/scope/called.ts'
import { isBounded } from '../../domain/scope/scope.ts'
import { bounded } from '../../domain/text/bounded.ts'
import { pluralize } from '../../domain/text/pluralize.ts'
import { mapStrings } from '../../domain/text/redact.ts'
import type { Found } from '../../ports/agents.ts'
import { figuresOf } from '../run/figures.ts'
import { writeEvents } from '../run/follow.ts'
import type { LiveRun } from '../run/live-run.ts'
import { unusedKey } from '../run/payer.ts'
import type { World } from '../world.ts'
import { toleratingDamage } from './agent-damage.ts'
import type { Bounds } from './bounds.ts'
import { type Findings, saidBy } from './judge.ts'
import { type KeptWork, leftInWorktree, onReceipt } from './keep-work.ts'
import { touchedText, unclearText } from './primary-checkout.ts'
import { givenTo, phasesOf } from './receipt-facts.ts'
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
  // An agent also chooses the names of files, branches and models: nothing on a receipt reveals a secret.
  const receipt = mapStrings(receiptOf(world, live, { findings, decided }), world.environment.redact)
  live.ending.receipt = receipt
  await toleratingDamage(world, live, () => {
    replaceReceipt(world, live.record, receipt)
    writeEvents(world, live)
  })
}

/** Adds what was found and killed after the receipt was written. `live`: the run, while the ledger has no receipt of it. */
export function amendReceipt(world: World, run: Run, found: readonly Found[], live?: LiveRun): void {
  amend(world, run, {
    of: live,
    change(receipt) {
      const known = new Set(receipt.leftovers.map(({ pid }) => pid))
      const late = found.map(({ pid, command }) => ({ pid, command })).filter(({ pid }) => !known.has(pid))
      return { ...receipt, leftovers: [...receipt.leftovers, ...late] }
    },
  })
}

interface ReceiptChange {
  readonly of?: LiveRun | undefined
  change(receipt: Receipt): Receipt
}

/** A person's command may amend it at the same moment. */
export function amend(world: World, run: Run, change: ReceiptChange): void {
  const amended = amendInLedger(world, run, change)
  if (amended !== undefined) rewriteReceipt(world, run, amended)
}

/** The ledger's copy, which counts. Call `rewriteReceipt` when the transaction is over: a write to a disk may take long. */
export function amendInLedger(world: World, run: Run, { of: live, change }: ReceiptChange): Receipt | undefined {
  return world.ledger.together(() => {
    const receipt = live?.ending.receipt ?? keptReceipt(world, run)
    if (receipt === undefined) return undefined
    const amended = change(receipt)
    if (live !== undefined) live.ending.receipt = amended
    world.ledger.amendReceipt(run.id, amended)
    return amended
  })
}

/** The file for people. One that cannot be written takes nothing from what the ledger has. */
export function rewriteReceipt(world: World, run: Run, receipt: Receipt): void {
  const { task, id } = run
  try {
    replaceReceipt(world, run, receipt)
  } catch (error) {
    world.log('task-folder-unwritable', { task, run: id, why: String(error) })
  }
}

function keptReceipt(world: World, run: Run): Receipt | undefined {
  return world.ledger.recordsOf(run.id).receipt ?? ofOlderFleet(world, run)
}

/** Its receipt is not in the ledger. */
function ofOlderFleet({ attempts, ledger }: World, { id, task, attempt }: Run): Receipt | undefined {
  const text = ledger.seen(id).keyed === true ? undefined : attempts.read(task, attempt, 'receipt.json')
  return text === undefined ? undefined : receiptFrom(text)
}

/** undefined: an agent of another task has written to it. */
function receiptFrom(text: string): Receipt | undefined {
  try {
    const receipt = JSON.parse(text) as Receipt
    return Array.isArray(receipt?.leftovers) ? receipt : undefined
  } catch {
    return undefined
  }
}

/** For runs that have ended: those that are open tell it on the receipts that they will have. */
export function warnOnReceipts(world: World, change: ChangedFile): void {
  const warning = changedWarning(change)
  for (const id of change.runs) {
    const run = world.ledger.run(id)
    if (run?.phase !== 'settled') continue
    const change = (receipt: Receipt) =>
      receipt.warnings.includes(warning) ? receipt : { ...receipt, warnings: [...receipt.warnings, warning] }
    amend(world, run, { change })
  }
}

function replaceReceipt({ attempts }: World, { task, attempt }: Run, receipt: Receipt): void {
  attempts.replace(task, attempt, 'receipt.json', receiptText(receipt))
}

function receiptOf(
  world: World,
  live: LiveRun,
  { findings, decided }: { findings: Findings; decided: Outcome },
): Receipt {
  const { exit, judgement, changes, altered, edit, changedFiles, temporary } = findings
  const { record, digest } = live
  const { stream } = live.output
  const changed = changes && (recordedChanges(changes.all) ?? { files: [], commits: [], artifacts: [] })
  const figures = figuresOf(world, live)
  const endedAt = world.clock.now()
  const said = saidBy(live)
  const served = new Set([...digest.models, figures.servedModel])
  const checks = findings.checks.map((each) => checkOnReceipt(world, each))
  const did = workDone(digest.work, live.coder.subagents)
  return {
    v: 1,
    run: record.id,
    task: record.task,
    attempt: record.attempt,
    coder: record.coder,
    lane: record.lane,
    model: record.model,
    served_model: figures.servedModel,
    served_models: [...digest.models],
    coder_version: figures.coderVersion,
    payer: digest.payer ?? null,
    session: figures.session,
    started_at: new Date(record.startedAt).toISOString(),
    ended_at: new Date(endedAt).toISOString(),
    duration_ms: durationOf(world, live, endedAt - record.startedAt),
    phases: phasesOf(live, world.clock.monotonic()),
    given: givenTo(world, live),
    did,
    said: digest.lastText === '' ? null : bounded(digest.lastText, SAID),
    claim:
      said?.kind === 'done' ? { how: said.how, summary: said.summary } : exitClaim(world, live, { findings, decided }),
    question: said?.kind === 'ask' ? said.text : (askedBy(live, decided)?.text ?? null),
    level: findings.level ?? judgement.level,
    outcome: decided,
    ...(checks.length > 0 && { checks }),
    ...(findings.worktree !== undefined && { worktree: onReceipt(findings.worktree) }),
    ...(hasBounds(findings.bounds) && { scope: scopeOnReceipt(findings.bounds, live.called) }),
    ...(digest.denied > 0 && { denied: { count: digest.denied, calls: digest.denials } }),
    evidence: {
      exit,
      tool_calls: digest.toolCalls,
      files_changed: changed?.files ?? null,
      files_changed_count: changes?.all.files.length ?? null,
      commits: changed?.commits ?? null,
      artifacts: changed?.artifacts ?? null,
      ...(changes?.lines && { lines: changes.lines }),
      ...(changes?.asked && { asked: { for: changes.asked.text, is_met: changes.asked.isMet } }),
      ...(changes?.all.refs && { refs: changes.all.refs.slice(0, UNTRACED) }),
      ...(changes?.all.weak && { weak: changes.all.weak.slice(0, UNTRACED) }),
      ...(changes?.all.untraced && { untraced: untracedOnReceipt(changes.all.untraced) }),
      events: digest.events,
      stdout: {
        bytes: stream?.bytes ?? 0,
        sha256: stream?.sha256() ?? '',
        altered: altered.includes('stdout.jsonl'),
      },
    },
    usage: { ...figures.usage, cost_usd: figures.costUsd, estimated: figures.estimated },
    context_peak: figures.contextPeak,
    context_window: figures.contextWindow,
    leftovers: live.ending.leftovers.map(({ pid, command, left }) => ({ pid, command, ...(left && { left }) })),
    tmp_bytes: temporary?.bytes ?? 0,
    ...(altered.length > 0 && { altered }),
    warnings: [
      ...[...served].map((model) => servedWarning(record.model, model)),
      unusedKey(world, live),
      withoutSandbox(world, live),
      idleSubagentsWarning(did),
      edit && refusedEditText(record.task, edit),
      ...(findings.worktree ? primaryWarnings(findings.worktree) : [leftInWorktree(world, record)]),
      ...live.ending.damage.map(damageWarning),
      live.ending.bySwitch === decided.text ? undefined : live.ending.bySwitch,
      ...changedFiles.map(changedWarning),
      unawaited(live, decided),
      forgedWarning(world, live),
      ...findings.checks.flatMap(({ verdict }) => verdict.warnings ?? []),
      temporary?.problem && `its temporary folder held more than tmp_bytes says: ${temporary.problem}`,
    ].flatMap((warning) => warning ?? []),
  }
}

function hasBounds({ scope, breaches }: Bounds): boolean {
  return isBounded(scope) || breaches.length > 0
}

function scopeOnReceipt({ scope, breaches }: Bounds, { refused, refusedCount }: Called): ScopeOnReceipt {
  const { readOnly, writes = null } = scope
  return {
    ...{ read_only: readOnly, writes, outside: breaches.slice(0, OUTSIDE), outside_count: breaches.length },
    ...(refusedCount > 0 && { refused: { count: refusedCount, calls: refused } }),
  }
}

/** An approval covers them by name. */
const OUTSIDE = 1000

function primaryWarnings({ worktree, inPrimary }: KeptWork): readonly (string | undefined)[] {
  return [touchedText(worktree, inPrimary), unclearText(worktree, inPrimary)]
}

function withoutSandbox(world: World, live: LiveRun): string | undefined {
  const { sandbox } = givenTo(world, live)
  return sandbox?.missing && `it ran without a sandbox: ${sandbox.missing}`
}

const SAID = 4000

/** An agent, or another one beside it, can make any number. */
const UNTRACED = 100

function untracedOnReceipt(untraced: Untraced): UntracedOnReceipt {
  const { files, commits, refs } = untraced
  return {
    files: files.slice(0, UNTRACED),
    commits: commits.slice(0, UNTRACED),
    ...(refs.length > 0 && { refs: refs.slice(0, UNTRACED) }),
    count: countOf(untraced),
  }
}

function damageWarning({ path, harm, isRepaired }: Damage): string {
  return `${damageText({ path, harm })}${isRepaired ? '' : ', and fleet could not repair it'}`
}

/** Letters that others handed in for it. */
function forgedWarning({ ledger, environment }: World, { record, letters }: LiveRun): string | undefined {
  if (letters.forgedCount === 0) return undefined
  const each = letters.forged.map(({ kind, from }) => {
    if (from === record.id) return `a fleet ${kind} without its signature`
    const other = ledger.run(from)
    return `a fleet ${kind} of ${other === undefined ? `run ${bounded(from, 40)}` : other.task}`
  })
  const named = [...new Set(each)].join(', ')
  return environment.redact(`${pluralize(letters.forgedCount, 'letter')} that it did not write: refused ${named}`)
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
  if (isPassed(decided.code)) return { how: 'exit', summary: decided.text }
  if (findings.checks.length === 0) return null
  return { how: 'exit', summary: environment.redact(findings.judgement.outcome.text) }
}

function checkOnReceipt({ environment }: World, { name, verdict }: CheckResult): CheckOnReceipt {
  const { kind, commands, known, guarded, usage } = verdict
  const ran = {
    ...(commands !== undefined && { commands: commands.map(commandOnReceipt) }),
    ...(known && { known }),
    ...(guarded !== undefined && { guarded }),
    ...(usage !== undefined && {
      usage: { ...usage.usage, cost_usd: usage.costUsd, estimated: usage.estimated },
    }),
  }
  if (kind === 'passed') return { name, verdict: kind, text: null, ...ran }
  const text = environment.redact(kind === 'failed' ? verdict.outcome.text : verdict.text)
  return { name, verdict: kind, text, ...ran }
}

/** A clock that was set less than a second ago is not followed yet: the run then lasted as long as it was watched. */
const UNEXPLAINED_MS = 5000

function durationOf({ clock }: World, { startedAt }: LiveRun, wall: number): number {
  const watched = Math.max(0, Math.round(clock.monotonic() - startedAt))
  return wall < watched - UNEXPLAINED_MS ? watched : Math.max(0, wall)
}
