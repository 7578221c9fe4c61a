import type { Run } from '../../domain/run/run.ts'
import type { World } from '../world.ts'

/** The runs of a task whose work has not landed, oldest first. A person may open a task again that has. */
export function runsSinceLanding({ ledger }: World, task: string): readonly Run[] {
  const runs = ledger.runsOf(task)
  const landing = ledger.landings.of(task)
  if (landing?.state.at !== 'over' || landing.state.landed === null) return runs
  return runs.slice(runs.findIndex(({ id }) => id === landing.run) + 1)
}
