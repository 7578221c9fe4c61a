import { join } from 'node:path'
import { sameHome } from '../../domain/fleet/claimer.ts'
import type { Blocker } from '../../domain/run/prompt.ts'
import { isSettled } from '../../domain/task/task.ts'
import type { World } from '../world.ts'
import { waitedFor } from './waited-for.ts'

/** Artifacts of one blocker that the prompt names. */
const ARTIFACTS_NAMED = 100

/** The settled tasks that a task waited for, with their summaries and artifacts, for its prompt. */
export async function blockersOf(world: World, task: string): Promise<readonly Blocker[]> {
  const { queue, records, attempts, workspace, name } = world
  const ids = await waitedFor(queue, task)
  const shared = (await records?.of(ids)) ?? []
  const blockers: Blocker[] = []
  for (const each of ids) {
    const blocker = await queue.get(each)
    if (blocker === undefined || !isSettled(blocker)) continue
    const { id, title, close_reason: summary } = blocker
    const record = shared.find((other) => other.task === id)
    const elsewhere = record !== undefined && record.host !== '' && !sameHome(record.host, name)
    const folder = attempts.artifacts(id)
    const artifacts = (await workspace.artifacts(folder)).slice(0, ARTIFACTS_NAMED).map((path) => join(folder, path))
    blockers.push({ id, title, summary, artifacts, ...(elsewhere ? { machine: record.machine } : {}) })
  }
  return blockers
}
