import type { CheckResult } from '../../domain/run/check-result.ts'
import type { LiveRun } from '../run/live-run.ts'
import type { World } from '../world.ts'
import type { Findings } from './judge.ts'

/**
 * Runs the checks that have no result yet, one after the other, and adds each result to `results`. The first that fails
 * ends them. If one throws, a retry begins with that one.
 */
export async function runChecks(
  { checks, log }: World,
  { record, folder }: LiveRun,
  { findings, results, signal }: { findings: Findings; results: CheckResult[]; signal: AbortSignal },
): Promise<void> {
  const { id, task, attempt } = record
  const subject = { run: record, folder, changes: findings.changes?.all }
  for (const check of checks.slice(results.length)) {
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
