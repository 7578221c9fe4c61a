import type { TaskSettings } from '../../domain/settings.ts'
import type { Task } from '../../domain/task.ts'
import { checkSettings } from '../../store/check-settings.ts'
import { projectTask } from '../../store/task-file.ts'
import type { BdCall } from './command.ts'

/** What a new task remembers. Checked even where nothing was said: the directory may have gone under the shell. */
export function settingsOfNew(call: BdCall): TaskSettings {
  const given = givenSettings(call)
  return given.cwd === undefined ? { ...given, ...checkSettings({ cwd: call.cwd }, call.cwd) } : given
}

/** --cwd, --coder and --model as given, checked; only those that were. */
export function givenSettings(call: BdCall): TaskSettings {
  const given: TaskSettings = {}
  for (const name of ['cwd', 'coder', 'model'] as const) {
    const value = call.flags.text(name)
    if (value !== undefined) given[name] = value
  }
  return checkSettings(given, call.cwd)
}

/** After the commit. The store is the truth, so a file that cannot be written is a warning and no failure. */
export function project(call: BdCall, task: Task): void {
  try {
    projectTask(call.home, task)
  } catch (error) {
    call.warn(`warning: ${task.id}: task.json was not written: ${error instanceof Error ? error.message : error}`)
  }
}
