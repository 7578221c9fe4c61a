import { brokenBinary } from '../../domain/run/broken-binary.ts'
import { countOf } from '../../domain/run/changes.ts'
import type { CheckResult } from '../../domain/run/check-result.ts'
import { deniedText } from '../../domain/run/denial.ts'
import { type Case, type CloseAt, type Judgement, judge, type Level } from '../../domain/run/judgement.ts'
import { longPromptText } from '../../domain/run/long-prompt.ts'
import type { Outcome } from '../../domain/run/outcome.ts'
import { judgedByProgress, type Step } from '../../domain/run/progress.ts'
import type { Exit, Run } from '../../domain/run/run.ts'
import { printedTooMuch } from '../../domain/run/watchdog.ts'
import { firstLine } from '../../domain/text/bounded.ts'
import { hasAnswered } from '../run/answered.ts'
import { continuedBy } from '../run/continued.ts'
import { vitalsOf } from '../run/figures.ts'
import { ownLaunchRecord } from '../run/launch-record.ts'
import { type LiveRun, placeOf } from '../run/live-run.ts'
import type { World } from '../world.ts'
import { judgedByDamage } from './agent-damage.ts'
import type { Bounds } from './bounds.ts'
import type { SeenChanges } from './changes.ts'
import type { KeptWork } from './keep-work.ts'
import { launchFacts } from './launch-facts.ts'
import type { Remains } from './remains.ts'

/** The findings about a run after its agent has gone. The receipt is written from them. */
export interface Findings extends Remains {
  readonly bounds: Bounds
  readonly exit: Exit
  /** undefined: nobody looked. */
  readonly changes: SeenChanges | undefined
  /** The names of its files that are not as fleet wrote or read them. */
  readonly altered: readonly string[]
  /** By the evidence alone. A stop or a check may outweigh its outcome. */
  readonly judgement: Judgement
  /** The level that the task has to reach. */
  readonly closeAt: CloseAt
  /** The task's own verify command, as it was when the run began. */
  readonly verify: string | undefined
  /** The first of its ports. */
  readonly portBase: number | undefined
  /** The level after the checks; absent: none ran. */
  readonly level?: Level
  /** In the order they ran. */
  readonly checks: readonly CheckResult[]
  /** Absent: it ran in the directory of its task. */
  readonly worktree: KeptWork | undefined
}

/** Weighs what the agent claims against what it did. */
export function judgeRun(
  world: World,
  live: LiveRun,
  changes: SeenChanges | undefined,
): Pick<Findings, 'exit' | 'altered' | 'judgement' | 'closeAt' | 'verify' | 'portBase'> {
  const { coder, digest, record } = live
  const exitFile = world.agents.exitRecord(placeOf(live))
  const exit = exitOf(world, live, exitFile)
  const trouble =
    neverBegan(world, live, exit) ??
    printedTooMuch(vitalsOf(live).outputBytes, world.policy().limits) ??
    troubleOf(world, live, exit)
  const byExit = coder.traits.claim === 'exit' && trouble === undefined
  const altered = alteredFiles(world, live, exitFile)
  const {
    verify,
    portBase,
    closeAt = world.policy().closeAt(record.project),
  } = launchFacts(ownLaunchRecord(world, live))
  const counted = changes?.counted ?? changes?.all
  const judgement = judge({
    trouble,
    said: saidBy(live) ?? (byExit ? { kind: 'done', summary: summaryOf(live), how: 'exit' } : undefined),
    exitIsEvidence: coder.traits.evidence === 'exit',
    toolCalls: coder.traits.stream === 'text' ? undefined : digest.toolCalls,
    // Asked for only where it matters: scripts are many, and end by the hundred.
    earlierToolCalls: coder.traits.evidence === 'exit' || digest.toolCalls > 0 ? 0 : earlierToolCalls(world, record),
    filesChanged: counted?.files.length ?? 0,
    commits: counted?.commits.length ?? 0,
    artifacts: counted?.artifacts.length ?? 0,
    refs: counted?.refs?.length ?? 0,
    asked: changes?.asked,
    weak: counted?.weak ?? [],
    untraced: counted?.untraced === undefined ? 0 : countOf(counted.untraced),
    where: workedIn(changes?.begun),
    sentBackBy: changes?.rejection?.by,
    altered,
    unseen: counted?.unknown,
    closeAt,
    denied: deniedOf(world, live, trouble),
  })
  const isSeen = changes !== undefined && changes.all.unknown === undefined
  const outcome = judgedByProgress(judgement.outcome, changes?.own, isSeen ? before(world, record) : undefined)
  return { exit, altered, closeAt, verify, portBase, judgement: judgedByDamage({ ...judgement, outcome }, live) }
}

function workedIn(begun: SeenChanges['begun']): Case['where'] {
  if (begun?.kind === 'folder') return 'folder'
  return begun?.own === undefined ? 'checkout' : 'worktree'
}

/** undefined: nothing was denied. */
function deniedOf(world: World, live: LiveRun, trouble: Outcome | undefined): Case['denied'] {
  const { coder, digest } = live
  const { denials, denied } = digest
  if (denied === 0 && trouble?.code !== 'denied') return undefined
  const permissions = launchFacts(ownLaunchRecord(world, live)).permissions ?? world.policy().permissions
  const told = trouble?.code === 'denied' ? trouble.text : undefined
  return { text: deniedText({ coder: coder.name, permissions, denials, count: denied, told }), under: permissions }
}

/** The agent's last word to fleet. */
export function saidBy({ letters: { said } }: LiveRun): Case['said'] {
  if (said?.kind === 'done') return { kind: 'done', summary: said.summary, how: 'letter' }
  return said?.kind === 'ask' ? { kind: 'ask', text: said.text } : undefined
}

function summaryOf(live: LiveRun): string {
  return live.digest.lastText.trim().split('\n').at(-1)?.slice(0, 200) || 'exit 0'
}

type ExitRecord = ReturnType<World['agents']['exitRecord']>

function exitOf({ agents }: World, live: LiveRun, { witnessed }: ExitRecord): Exit {
  const code = live.ending.exit ?? agents.exitOf(placeOf(live))
  if (code === undefined) return { kind: 'unknown' }
  return { kind: 'code', code, ...(!witnessed && { from: 'file' }) }
}

/** An agent that changes what fleet writes down of it may do so for any reason, and is believed in nothing. */
function alteredFiles(world: World, live: LiveRun, exit: ExitRecord): readonly string[] {
  const { altered } = live.ending
  if (live.output.stream?.altered() === true) altered.add('stdout.jsonl')
  if (ownLaunchRecord(world, live).altered) altered.add('launch.json')
  if (exit.altered) altered.add('exit.json')
  return [...altered].sort()
}

/** As often as an agent could remove the traces of its beginning, to get attempts that are not counted. */
const NEVER_BEGAN_LIMIT = 10

/** The wrapper could not run: no room for its file, no memory, no namespace. That is the machine's trouble. */
function neverBegan(world: World, live: LiveRun, exit: Exit): Outcome | undefined {
  const { record, digest, output } = live
  if (exit.kind !== 'code' || exit.code === 0 || digest.events > 0 || (output.stream?.bytes ?? 0) > 0) return undefined
  if (world.agents.hasBegun(placeOf(live))) return undefined
  const earlier = world.ledger.runsOf(record.task).filter(({ id }) => id !== record.id)
  const lastBegun = earlier.findLastIndex(({ outcome }) => outcome?.code !== 'never-started')
  if (earlier.length - 1 - lastBegun >= NEVER_BEGAN_LIMIT) return undefined
  const told = firstLine(world.attempts.stderrTail(record.task, record.attempt), 300)
  return { code: 'never-started', text: `no agent could be started: ${told || `its wrapper ended with ${exit.code}`}` }
}

function troubleOf(world: World, live: LiveRun, exit: Exit): Outcome | undefined {
  const trouble = troubleTold(live, exit, stderrOf(world, live, exit))
  if (trouble?.code !== 'context-full' || hasAnswered(live)) return trouble
  const sizes = launchFacts(ownLaunchRecord(world, live)).promptSizes
  const text = longPromptText(trouble.text, { coder: live.coder.name, sizes })
  return { ...trouble, text, unanswered: true }
}

function troubleTold({ coder, digest }: LiveRun, exit: Exit, stderr: string): Outcome | undefined {
  // A coder that printed an event did run. A command that a script could not find is the script's own trouble.
  const ran = coder.traits.stream === 'text' || digest.events > 0
  const broken = ran ? undefined : brokenBinary(coder.binary, exit, stderr)
  const verdict = coder.verdict(exit, digest, stderr)
  return broken ?? (verdict.kind === 'failed' ? verdict.outcome : undefined)
}

/** Empty where the run went well: its last words matter only after a failure. */
function stderrOf({ attempts }: World, { record, digest, coder }: LiveRun, exit: Exit): string {
  const well = exit.kind === 'code' && exit.code === 0 && (coder.traits.stream === 'text' || digest.result?.ok === true)
  return well ? '' : attempts.stderrTail(record.task, record.attempt)
}

function earlierToolCalls(world: World, record: Run): number {
  const earlier = continuedBy(world, record).slice(0, -1)
  return earlier.reduce((sum, { figures }) => sum + figures.toolCalls, 0)
}

/** The attempt that this one continues. */
function before(world: World, record: Run): Step | undefined {
  const run = continuedBy(world, record).at(-2)
  return run && { outcome: run.outcome, changed: world.ledger.seen(run.id).changed }
}
