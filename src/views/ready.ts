import { openQueue } from '../app.ts'
import { settingsOf, type TaskSettings } from '../domain/task/settings.ts'
import type { Home } from '../platform/files/home.ts'
import type { Listed } from './first-few.ts'

export interface ReadyTask extends Omit<TaskSettings, 'command'> {
  readonly id: string
  readonly title: string
  readonly priority: number
}

/** Tasks that can start now, in the order they will be claimed. A limit of 0 lists all. */
export async function readyTasks(home: Home, { limit }: { limit: number }): Promise<Listed<ReadyTask>> {
  await using queue = await openQueue(home, { readOnly: true })
  const found = await queue.ready({ limit: limit === 0 ? 0 : limit + 1 })
  const first = limit === 0 ? found : found.slice(0, limit)
  const rows = first.map(({ id, title, priority, metadata }) => {
    const { command: _script, ...settings } = settingsOf(metadata)
    return { id, title, priority, ...settings }
  })
  return { rows, more: found.length > rows.length }
}
