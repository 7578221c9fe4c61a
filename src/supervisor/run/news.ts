import { agentName } from '../../domain/agent/current-run.ts'
import type { Run } from '../../domain/run/run.ts'
import { lastHeard, type News, newsSince, type Subject } from '../../domain/run/told.ts'
import type { Task } from '../../domain/task/task.ts'
import type { World } from '../world.ts'
import { toldTo } from './launch-record.ts'
import { toldByHook } from './messages.ts'
import { waitedFor } from './waited-for.ts'

/** The task as its next prompt tells of it. Comments come from people's terminals and from agents, so they are redacted. */
export async function subjectOf({ queue, environment }: World, task: Task): Promise<Subject> {
  const comments = await queue.comments(task.id)
  return {
    task,
    comments: comments.map((each) => ({ ...each, text: environment.redact(each.text) })),
    dependencies: await waitedFor(queue, task.id),
  }
}

/** The news for a session that is resumed. */
export async function newsFor(world: World, run: Run, subject: Subject): Promise<News> {
  const runs = world.ledger.runsOf(run.task)
  const heard = lastHeard(runs, run)
  const told = heard === undefined ? undefined : toldTo(world, heard)
  const byHook = toldByHook(world, run.task, run.resumes ?? '')
  const known = told && { ...told, comments: [...told.comments, ...byHook] }
  return newsSince(known, subject, await ownNotes(world, runs, run.task))
}

/** The notes that no person wrote: why fleet blocked the task, and the notes of its agents. */
async function ownNotes({ queue, name }: World, runs: readonly Run[], task: string): Promise<readonly string[]> {
  const byFleet = runs.flatMap(({ next }) => (next?.to === 'blocked' && next.notes !== undefined ? [next.notes] : []))
  const history = await queue.history(task)
  const appended = history.flatMap(({ actor, changes }) => {
    const [before, after] = changes['notes'] ?? []
    if (typeof before !== 'string' || typeof after !== 'string' || !after.startsWith(before)) return []
    return [{ actor, text: after.slice(before.length).replace(/^\n/, '') }]
  })
  const fleetNames = new Set([name, agentName(task), ...runs.map(({ claimedBy }) => claimedBy)])
  const byOthers = appended.filter(({ actor, text }) => fleetNames.has(actor) || text === `Paused by ${actor}.`)
  return [...byFleet, ...byOthers.map(({ text }) => text)]
}
