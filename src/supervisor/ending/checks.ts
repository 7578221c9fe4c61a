import type { CheckResult } from '../../domain/run/check-result.ts'
import type { Check, CheckSubject } from '../../ports/checks.ts'
import type { LiveRun } from '../run/live-run.ts'
import type { World } from '../world.ts'
import type { Findings } from './judge.ts'
import { withoutTouchedTarget } from './unaccepted-work.ts'

interface Checking extends Pick<CheckSubject, 'waits'> {
  readonly findings: Findings
  readonly results: CheckResult[]
  readonly signal: AbortSignal
}

/**
 * Runs the checks that have no result yet, one after the other, and adds each result to `results`. The first that fails
 * ends them. If one throws, a retry begins with that one.
 */
export async function runChecks(
  world: World,
  live: LiveRun,
  { findings, results, signal, waits }: Checking,
): Promise<void> {
  const { log } = world
  const { id, task, attempt } = live.record
  const subject = { ...subjectOf(world, live, findings), waits }
  const left = checksOf(world, live, findings).filter(({ name }) => results.every((result) => result.name !== name))
  for (const check of left) {
    if (signal.aborted || results.at(-1)?.verdict.kind === 'failed') return
    try {
      const verdict = await check.run(subject, signal)
      if (signal.aborted) return
      results.push({ name: check.name, verdict })
      log('run-checked', { task, attempt, run: id, check: check.name, verdict: verdict.kind })
    } catch (error) {
      if (!signal.aborted) throw error
    }
  }
}

/** Those that have anything to check about this run, in their order. */
export function checksOf(world: World, live: LiveRun, findings: ToCheck): readonly Check[] {
  const subject = subjectOf(world, live, findings)
  return world.checks.filter((check) => check.appliesTo(subject))
}

type ToCheck = Pick<Findings, 'changes' | 'closeAt' | 'verify' | 'portBase' | 'worktree'>

function subjectOf(
  { attempts }: World,
  { record, folder }: LiveRun,
  { changes, closeAt, verify, portBase, worktree }: ToCheck,
): Omit<CheckSubject, 'waits'> {
  return {
    run: record,
    folder,
    artifacts: attempts.artifacts(record.task),
    changes: changes?.all,
    base: changes?.begun,
    work: changes?.work && withoutTouchedTarget(changes.work, worktree?.inPrimary.branches ?? []),
    closeAt,
    verify,
    portBase,
  }
}

/** A check that an earlier supervisor began may still run, if this one had no reason to go on with it. */
export async function endChecks(
  { verifier }: Pick<World, 'verifier'>,
  { record }: LiveRun,
  { checks }: Pick<Findings, 'checks'>,
): Promise<void> {
  const mayRun = checks.length === 0 && (record.phase === 'checking' || record.phase === 'stopping')
  if (mayRun) await verifier.end(record.id)
}
