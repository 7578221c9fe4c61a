import { type RefusedEdit, refusedEditText } from '../../domain/agent/refused-edit.ts'
import { attemptChain, endsChain } from '../../domain/run/attempt-chain.ts'
import { brokenBinary } from '../../domain/run/broken-binary.ts'
import { type Changes, recordedChanges, withEarlierChanges } from '../../domain/run/changes.ts'
import { finalOutcome } from '../../domain/run/final-outcome.ts'
import { type Judgement, judge } from '../../domain/run/judgement.ts'
import type { Outcome } from '../../domain/run/outcome.ts'
import { judgedByProgress, type Step } from '../../domain/run/progress.ts'
import type { Receipt } from '../../domain/run/receipt.ts'
import type { Exit, Run } from '../../domain/run/run.ts'
import { servedWarning } from '../../domain/run/served-model.ts'
import type { Found } from '../../ports/agents.ts'
import type { LeftInTemporary } from '../../ports/attempts.ts'
import type { Base } from '../../ports/workspace.ts'
import { follow, followRest, readLetters, writeEvents, writeLog } from '../run/follow.ts'
import { sha256 } from '../run/launch.ts'
import { figuresOf, type LiveRun, placeOf } from '../run/live-run.ts'
import { unusedKey } from '../run/payer.ts'
import { findSidecar, followSidecar } from '../run/sidecar.ts'
import { editLine } from '../run/task-log.ts'
import type { World } from '../world.ts'

const NO_CHANGES: Changes = { files: [], commits: [], artifacts: [] }

/** After everything of the run has gone: reads what is left to read, looks at what changed, writes the receipt. */
export async function examine(world: World, live: LiveRun, want: Outcome | undefined): Promise<Outcome> {
  live.altered ||= await isRewritten(world, live)
  await readToTheEnd(world, live)
  readLetters(world, live, { last: true })
  await live.versionAsked
  const { record, coder, digest } = live
  const { attempts } = world
  const exit = exitOf(world, live)
  const trouble = troubleOf(live, exit, stderrOf(world, live, exit))
  const byExit = coder.traits.claim === 'exit' && trouble === undefined
  const said = saidBy(live) ?? (byExit ? ({ kind: 'done', summary: summaryOf(live), how: 'exit' } as const) : undefined)
  const exitIsEvidence = coder.traits.evidence === 'exit'
  const counts = !exitIsEvidence && (want === undefined || !endsChain(want.code))
  const changes = counts ? await changesOf(world, live) : NO_CHANGES
  const altered = live.altered || (live.stream?.altered() ?? false)
  const judgement: Judgement = judge({
    trouble,
    said,
    exitIsEvidence,
    toolCalls: coder.traits.stream === 'text' ? undefined : digest.toolCalls,
    filesChanged: changes.files.length,
    commits: changes.commits.length,
    artifacts: changes.artifacts.length,
    altered,
    unseen: changes.unknown,
    closeAt: world.policy().closeAt(record.cwd),
  })
  const looked = counts && changes.unknown === undefined
  const found = judgedByProgress(judgement.outcome, live.changed, looked ? before(world, record) : undefined)
  const decided = finalOutcome(want, found)
  const outcome = { ...decided, text: world.environment.redact(decided.text) }
  const edit = await world.taskFiles.editDuringRun(record.task)
  const temporary = await attempts.leftInTemporary(record.task, record.attempt)
  const findings = { exit, judgement: { ...judgement, outcome }, changes, altered, edit, temporary }
  const receipt = receiptOf(world, live, findings)
  await toleratingAgentLockout(world, live, () => {
    attempts.replace(record.task, record.attempt, 'receipt.json', `${JSON.stringify(receipt, undefined, 2)}\n`)
    writeEvents(world, live)
  })
  // After the receipt, or one that is examined again would not know of it.
  if (edit !== undefined) await refuseEdit(world, live, edit)
  live.stream?.close()
  live.sidecar?.stream.close()
  if (temporary !== undefined) await attempts.removeTemporary(record.task, record.attempt)
  return outcome
}

function troubleOf({ coder, digest }: LiveRun, exit: Exit, stderr: string): Outcome | undefined {
  // One that has said a word did run. What a script could not find is its own trouble.
  const ran = coder.traits.stream === 'text' || digest.events > 0
  const broken = ran ? undefined : brokenBinary(coder.binary, exit, stderr)
  const verdict = coder.verdict(exit, digest, stderr)
  return broken ?? (verdict.kind === 'failed' ? verdict.outcome : undefined)
}

/** An agent that made its folder unwritable loses its record, not its slot; a full disk is waited for. */
async function toleratingAgentLockout(
  { log }: World,
  { record }: LiveRun,
  work: () => void | Promise<void>,
): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (!LOCKED_OUT.has((error as NodeJS.ErrnoException).code ?? '')) throw error
    log('task-folder-unwritable', { task: record.task, run: record.id, why: String(error) })
  }
}

const LOCKED_OUT = new Set(['EACCES', 'EPERM', 'ENOTDIR', 'EISDIR', 'ELOOP', 'EROFS'])

/** Written down before it is done: after it nobody could tell any more. */
async function refuseEdit(world: World, live: LiveRun, edit: RefusedEdit): Promise<void> {
  const { task, id, attempt } = live.record
  const text = refusedEditText(task, edit)
  world.log('edit-refused', { task, attempt, run: id, why: text })
  if (!live.toldEdit) live.pendingLog.push(editLine(live.record, { at: world.clock.now(), text }))
  live.toldEdit = true
  await toleratingAgentLockout(world, live, async () => {
    writeLog(world, live)
    await world.taskFiles.refuseEdit(task)
  })
}

/** In portions: a last line of 300 MB must not keep the others waiting. */
async function readToTheEnd(world: World, live: LiveRun): Promise<void> {
  const most = world.policy().limits.outputBytes
  await inPortions(() => follow(world, live) && (live.stream?.bytes ?? 0) <= most)
  followRest(world, live)
  findSidecar(world, live)
  await inPortions(() => followSidecar(world, live) && (live.sidecar?.stream.bytes ?? 0) <= most)
}

/** `read` says whether there is more. */
async function inPortions(read: () => boolean): Promise<void> {
  for (let portion = 1; read(); portion++) {
    if (portion % 16 === 0) await new Promise((resolve) => setImmediate(resolve))
  }
}

function saidBy(live: LiveRun) {
  if (live.said?.kind === 'done') return { kind: 'done', summary: live.said.summary, how: 'letter' } as const
  return live.said?.kind === 'ask' ? ({ kind: 'ask', text: live.said.text } as const) : undefined
}

function summaryOf(live: LiveRun): string {
  return live.digest.lastText.trim().split('\n').at(-1)?.slice(0, 200) || 'exit 0'
}

/** Whether what was read while it lived is still what stands there. */
async function isRewritten({ attempts }: World, { record, stream, coder }: LiveRun): Promise<boolean> {
  // What a script prints decides nothing.
  if (stream === undefined || stream.bytes === 0 || coder.traits.evidence === 'exit') return false
  return (await attempts.hashOfStdout(record.task, record.attempt, stream.bytes)) !== stream.sha256()
}

/** The attempt that this one went on from. */
function before({ ledger }: World, record: Run): Step | undefined {
  const run = attemptChain(ledger.runsOf(record.task), record).at(-2)
  return run && { outcome: run.outcome, changed: ledger.seen(run.id).changed }
}

async function changesOf(world: World, live: LiveRun): Promise<Changes> {
  const { record } = live
  const artifacts = world.attempts.artifacts(record.task)
  const attempts = attemptChain(world.ledger.runsOf(record.task), record)
  const looks = attempts.map((run) => ({ run, ...world.ledger.seen(run.id), ...launchOf(world, run) }))
  live.altered ||= looks.some(({ altered }) => altered)
  const since = (base: Base, run: Run) =>
    world.workspace.changes(base, { since: beganAt(world, run), artifacts, home: world.home })
  const base = looks.at(-1)?.base
  if (base === undefined) return { ...NO_CHANGES, unknown: 'its launch record cannot be read' }
  const own = await since(base, record)
  live.changed = recordedChanges(own)
  const begun = looks.find(({ changed, base }) => changed !== undefined && base !== undefined)
  if (begun?.base === undefined) return own
  const earlier = looks.flatMap(({ changed }) => changed ?? [])
  return withEarlierChanges(own, await since(begun.base, begun.run), earlier)
}

/** By the clock of the files where that is earlier: ours may have been set meanwhile. */
function beganAt({ attempts }: World, { task, attempt, startedAt }: Run): number {
  return Math.min(startedAt, attempts.recordedAt(task, attempt) ?? startedAt)
}

/** What its project looked like before it, which is not for the agent to say; no base: that cannot be read. */
function launchOf({ attempts, ledger }: World, { id, task, attempt }: Run): { base?: Base; altered: boolean } {
  const text = attempts.read(task, attempt, 'launch.json') ?? ''
  const { launch } = ledger.seen(id)
  const altered = launch !== undefined && launch !== sha256(text)
  try {
    const { base } = JSON.parse(text) as { base?: Base }
    return base ? { base, altered } : { altered }
  } catch {
    return { altered }
  }
}

/** Its last words matter where it went wrong. */
function stderrOf({ attempts }: World, { record, digest, coder }: LiveRun, exit: Exit): string {
  const well = exit.kind === 'code' && exit.code === 0 && (coder.traits.stream === 'text' || digest.result?.ok === true)
  return well ? '' : attempts.stderrTail(record.task, record.attempt)
}

function exitOf(world: World, live: LiveRun): Exit {
  const code = live.exit ?? world.agents.exitOf(placeOf(live))
  return code === undefined ? { kind: 'unknown' } : { kind: 'code', code }
}

/** What was found and ended after its receipt was written. */
export function amendReceipt(world: World, run: Run, found: readonly Found[]): void {
  const text = world.attempts.read(run.task, run.attempt, 'receipt.json')
  if (text === undefined) return
  const receipt = JSON.parse(text) as Receipt
  const late = found.map(({ pid, command }) => ({ pid, command }))
  const known = new Set(receipt.leftovers.map(({ pid }) => pid))
  const leftovers = [...receipt.leftovers, ...late.filter(({ pid }) => !known.has(pid))]
  world.attempts.replace(
    run.task,
    run.attempt,
    'receipt.json',
    `${JSON.stringify({ ...receipt, leftovers }, undefined, 2)}\n`,
  )
}

interface Findings {
  readonly exit: Exit
  readonly judgement: Judgement
  readonly changes: Changes
  readonly altered: boolean
  readonly edit: RefusedEdit | undefined
  readonly temporary: LeftInTemporary | undefined
}

function receiptOf(world: World, live: LiveRun, findings: Findings): Receipt {
  const { exit, judgement, changes, altered, edit, temporary } = findings
  const { record, digest, stream } = live
  const changed = changes === NO_CHANGES ? undefined : (recordedChanges(changes) ?? NO_CHANGES)
  const figures = figuresOf(world, live)
  const endedAt = world.clock.now()
  const said = saidBy(live)
  const served = new Set([...digest.models, figures.servedModel])
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
    duration_ms: Math.max(0, endedAt - record.startedAt),
    claim:
      said?.kind === 'done'
        ? { how: said.how, summary: said.summary }
        : live.coder.traits.claim === 'exit' && judgement.outcome.code === 'done'
          ? { how: 'exit', summary: judgement.outcome.text }
          : null,
    question: said?.kind === 'ask' ? said.text : null,
    level: judgement.level,
    outcome: judgement.outcome,
    evidence: {
      exit,
      tool_calls: digest.toolCalls,
      files_changed: changed?.files ?? null,
      files_changed_count: changed === undefined ? null : changes.files.length,
      commits: changed?.commits ?? null,
      artifacts: changed?.artifacts ?? null,
      events: digest.events,
      stdout: { bytes: stream?.bytes ?? 0, sha256: stream?.sha256() ?? '', altered },
    },
    usage: { ...figures.usage, cost_usd: figures.costUsd, estimated: figures.estimated },
    context_peak: figures.contextPeak,
    context_window: figures.contextWindow,
    leftovers: live.leftovers.map(({ pid, command }) => ({ pid, command })),
    tmp_bytes: temporary?.bytes ?? 0,
    warnings: [
      ...[...served].map((model) => servedWarning(record.model, model)),
      unusedKey(world, live),
      edit && refusedEditText(record.task, edit),
      temporary?.problem && `its temporary folder held more than tmp_bytes says: ${temporary.problem}`,
    ].flatMap((warning) => warning ?? []),
  }
}
