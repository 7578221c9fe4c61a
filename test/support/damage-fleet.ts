import { chownSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { type Case, isDestructive, scriptOf } from './damage.ts'
import { type Fleet, type FleetOptions, testFleet } from './supervisor.ts'

/** One task for each case; every one must be settled with the right outcome, and an honest task after them be done. */
export async function expectAllSettled(cases: readonly Case[], options: FleetOptions): Promise<void> {
  const fleet = withOneAttempt(options, 'max_concurrent=16')
  const precious = join(fleet.home.project, 'precious')
  writeFileSync(precious, 'keep me\n', { mode: 0o640 })
  if (options.uid !== undefined) chownSync(precious, options.uid, options.uid)
  const ids = fleet.createAll(cases.map((each) => ({ title: titleOf(each), script: scriptOf(each, precious) })))
  const tasks = cases.map((each, at) => ({ each, id: ids[at] as string }))
  const honest = fleet.create('honest', 'echo done', '--priority', '4')
  await fleet.start()
  const outcomes: Record<string, unknown> = {}
  const expected: Record<string, unknown> = {}
  for (const { each, id } of tasks) {
    await fleet.settled(id, isDestructive(each) ? 'blocked' : 'closed')
    outcomes[titleOf(each)] = fleet.runs(id).map(({ outcome }) => outcome?.code)
    expected[titleOf(each)] = [isDestructive(each) ? 'evidence-destroyed' : 'done']
  }
  expect(outcomes).toEqual(expected)
  for (const { id } of tasks) expect(fleet.receipt(id)).toMatchObject({ task: id, attempt: 1 })
  await fleet.settled(honest, 'closed')
  expect({ text: readFileSync(precious, 'utf8'), mode: statSync(precious).mode & 0o777 }).toEqual({
    text: 'keep me\n',
    mode: 0o640,
  })
}

function titleOf({ target, deed, moment }: Case): string {
  return `${target === '' ? 'the folder of the task' : target} ${deed} ${moment}`
}

/** A fleet whose tasks are blocked after one failed attempt. */
export function withOneAttempt(options: FleetOptions, ...config: readonly string[]): Fleet {
  return testFleet({ ...options, config: [...(options.config ?? []), 'max_attempts=1', ...config] })
}
