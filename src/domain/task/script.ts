import { settingsOf } from './settings.ts'
import type { Task } from './task.ts'

/** What a coder that runs scripts runs: the command of the task, or else its description. undefined: there is none. */
export function scriptOf({ description, metadata }: Pick<Task, 'description' | 'metadata'>): string | undefined {
  return [settingsOf(metadata).command ?? '', description].find((text) => text.trim() !== '')
}
