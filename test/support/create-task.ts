import { randomInt } from 'node:crypto'
import { existsSync } from 'node:fs'
import { openLocalStore } from '../../src/app.ts'
import { withBranch } from '../../src/domain/task/branch.ts'
import { flagOf, SETTING_NAMES, type TaskSettings, withSettings } from '../../src/domain/task/settings.ts'
import { Home } from '../../src/platform/files/home.ts'
import { branchAt } from '../../src/store/branch.ts'
import { projectTask } from '../../src/store/task-file.ts'
import { giveTo } from './home-template.ts'

interface NewTask {
  readonly title: string
  readonly description: string
  readonly settings: TaskSettings & { readonly cwd: string }
}

/** The settings that these flags of `fleet bd create` give a task; undefined: there are others among them. */
export function settingsGiven(flags: readonly string[]): TaskSettings | undefined {
  const settings: TaskSettings = {}
  for (let i = 0; i < flags.length; i += 2) {
    const name = SETTING_NAMES.find((each) => flags[i] === `--${flagOf(each)}`)
    if (name === undefined || flags[i + 1] === undefined) return undefined
    const value = flags[i + 1] as string
    settings[name] = settings[name] === undefined ? value : `${settings[name]},${value}`
  }
  return settings
}

/**
 * Does what `fleet bd create` does in a home with a local queue, without a process for each task: tests create hundreds
 * of them. `uid`: the user to whom the home belongs. Returns the ids.
 */
export function createTasks(path: string, tasks: readonly NewTask[], uid?: number): readonly string[] {
  const home = new Home(path)
  const store = openLocalStore(home)
  const ids = tasks.map(({ title, description, settings }) => {
    const id = freeId(home)
    const metadata = withBranch(withSettings({}, settings), branchAt(settings.cwd))
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
