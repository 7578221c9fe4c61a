import { readdirSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { Database } from '../../src/platform/sqlite/database.ts'
import type { TestHome } from './cli.ts'
import { createTasks } from './create-task.ts'

/** Creates a task in the home's own queue, as `fleet bd create` does with these words, and returns its id. */
export function created(home: TestHome, ...argv: readonly string[]): string {
  const [title, ...flags] = argv
  if (title !== undefined && !title.startsWith('-') && flags.length === 0) {
    return createTasks(home.path, [
      { title, description: '', settings: { cwd: realpathSync(home.project) } },
    ])[0] as string
  }
  const { code, stdout, stderr } = home.bd(['create', ...argv, '--silent'])
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return stdout.trim()
}

/** The task's settings. */
export function settingsOn(home: TestHome, id: string): unknown {
  return JSON.parse(home.bd(['show', id, '--json']).stdout)[0].metadata?.fleet
}

/** Asserts that `act` changes neither the tasks nor their files. */
export function unchanged(home: TestHome, act: () => void): void {
  const before = everything(home)
  act()
  expect(everything(home)).toEqual(before)
}

function everything(home: TestHome): unknown {
  using db = new Database(join(home.path, 'fleet.db'), { readOnly: true, mustExist: true })
  const rows = QUEUE_TABLES.map((table) => db.once(`select * from ${table}`).all())
  return { rows, folders: readdirSync(join(home.path, 'tasks')).sort() }
}

const QUEUE_TABLES = ['task', 'label', 'dependency', 'comment', 'history', 'queue_value']
