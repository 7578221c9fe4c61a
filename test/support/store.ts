import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { actorFrom, openLocalQueue } from '../../src/app.ts'
import type { Task } from '../../src/domain/task.ts'
import { Home } from '../../src/platform/home.ts'

/** Tasks put into a home without going through a command. */
export async function addTasks(home: string, titles: readonly string[]): Promise<readonly Task[]> {
  await using queue = openLocalQueue(new Home(home))
  const tasks: Task[] = []
  for (const title of titles) tasks.push(await queue.create({ title }, actorFrom({}, 'tester')))
  return tasks
}

/** Everything the store knows about its tasks, to compare before and after. */
export async function contents(home: string): Promise<readonly Task[]> {
  await using queue = openLocalQueue(new Home(home), { readOnly: true })
  const tasks: Task[] = []
  for await (const task of queue.find({ sort: 'id' })) tasks.push(task)
  return tasks
}

export function hashOf(path: string): string | undefined {
  return existsSync(path) ? createHash('sha256').update(readFileSync(path)).digest('hex') : undefined
}
