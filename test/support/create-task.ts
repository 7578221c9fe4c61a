import { randomInt } from 'node:crypto'
import { existsSync } from 'node:fs'
import { openLocalStore } from '../../src/app.ts'
import { Home } from '../../src/platform/files/home.ts'
import { projectTask } from '../../src/store/task-file.ts'
import { giveTo } from './home-template.ts'

interface NewTask {
  readonly title: string
  readonly description: string
  readonly cwd: string
  readonly coder?: string | undefined
}

/**
 * Does what `fleet bd create` does in a home with a local queue, without a process for each task: tests create hundreds
 * of them. `uid`: the user to whom the home belongs. Returns the ids.
 */
export function createTasks(path: string, tasks: readonly NewTask[], uid?: number): readonly string[] {
  const home = new Home(path)
  const store = openLocalStore(home)
  const ids = tasks.map(({ title, description, cwd, coder }) => {
    const id = freeId(home)
    const metadata = { fleet: { cwd, ...(coder !== undefined && { coder }) } }
    // First its folder, with its owner: a running supervisor may claim the task at once.
    projectTask(home, { id, title, metadata })
    if (uid !== undefined) giveTo(home.task(id), uid)
    // The local queue has written when the call returns. A failure fails the test: no one handles it.
    void store.queue.create({ id, title, description, metadata }, 'tester')
    return id
  })
  // As a command does, it leaves a backup, before the call returns.
  void store[Symbol.asyncDispose]()
  if (uid !== undefined) giveTo(home.backups, uid)
  return ids
}

/** Every task has a folder from the moment of its creation. */
function freeId(home: Home): string {
  const id = `fleet-${randomInt(36 ** 2, 36 ** 3).toString(36)}`
  return existsSync(home.task(id)) ? freeId(home) : id
}
