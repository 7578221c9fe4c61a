import { settingsOf } from './settings.ts'
import type { Task } from './task.ts'

/** The script for a coder that runs scripts: the task's command, or else its description. undefined if both are blank. */
export function scriptOf({ description, metadata }: Pick<Task, 'description' | 'metadata'>): string | undefined {
  return [settingsOf(metadata).command ?? '', description].find((text) => text.trim() !== '')
}
