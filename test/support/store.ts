import { createHash } from 'node:crypto'
import { lstatSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { actorFrom, openLocalQueue } from '../../src/app.ts'
import type { Task } from '../../src/domain/task/task.ts'
import { Home } from '../../src/platform/files/home.ts'
import { Database } from '../../src/platform/sqlite/database.ts'

/** Adds tasks to a home without a command. */
export async function addTasks(home: string, titles: readonly string[]): Promise<readonly Task[]> {
  await using queue = openLocalQueue(new Home(home))
  const tasks: Task[] = []
  for (const title of titles) tasks.push(await queue.create({ title }, actorFrom({}, 'tester')))
  return tasks
}

/** Everything in the store about its tasks, to compare before and after. */
export async function contents(home: string): Promise<readonly Task[]> {
  await using queue = openLocalQueue(new Home(home), { readOnly: true })
  const tasks: Task[] = []
  for await (const task of queue.find({ sort: 'id' })) tasks.push(task)
  return tasks
}

/** Every file below a folder with its permissions and content, without SQLite's side files, which come and go. */
export function tree(folder: string): Record<string, string> {
  const files: Record<string, string> = {}
  const look = (path: string, name: string): void => {
    const entry = lstatSync(path)
    const mode = (entry.mode & 0o777).toString(8)
    if (entry.isDirectory()) {
      files[`${name}/`] = mode
      for (const each of readdirSync(path)) look(join(path, each), `${name}/${each}`)
    } else if (!/-(shm|wal)$/.test(name)) files[name] = `${mode} ${hashOf(path)}`
  }
  look(folder, '.')
  return files
}

export function hashOf(path: string): string {
  return createHash('sha256').update(readFileSync(path)).digest('hex')
}

/** Runs SQL on a store behind fleet's back. */
export function tamper(home: string, sql: string): void {
  using db = new Database(join(home, 'fleet.db'))
  db.exec(sql)
}
