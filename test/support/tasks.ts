import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { TestHome } from './cli.ts'

/** Creates a task and returns its id. */
export function created(home: TestHome, ...argv: readonly string[]): string {
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
  return { exported: home.bd(['export']).stdout, folders: readdirSync(join(home.path, 'tasks')).sort() }
}
