import { traceProcesses, wantsProcesses } from '../../domain/evidence/trace.ts'
import type { World } from '../world.ts'
import { type LiveRun, placeOf } from './live-run.ts'

/** Looks for processes that the tools of these runs left behind: what they change without an open tool is theirs, too. */
export function lookForLeftBehind({ agents, clock }: World, runs: readonly LiveRun[]): void {
  const now = { wall: clock.now(), monotonic: clock.monotonic() }
  const isDue = ({ state, trace }: LiveRun): boolean =>
    state.phase === 'running' && wantsProcesses(trace, now.monotonic)
  const due = runs.filter(isDue)
  if (due.length === 0) return
  const ages = agents.leftBehind(due.map(placeOf))
  for (const { record, trace } of due) traceProcesses(trace, now, ages.get(record.id))
}
