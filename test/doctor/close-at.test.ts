import { expect, test } from 'vitest'
import { check } from '../../src/config/check.ts'
import { checkCloseAt } from '../../src/doctor/close-at.ts'

function checksOf(raw: Readonly<Record<string, unknown>>) {
  const checked = check(raw)
  if ('problems' in checked) throw new Error(JSON.stringify(checked.problems))
  return checkCloseAt(checked.config)
}

test('doctor says why tasks wait for review where verified is asked for, and names the settings', () => {
  const why = 'asks for verified, but fleet runs no checks of a project yet: such a task waits for your review'
  const projects = { '/a': { close_at: 'verified' }, '/b': { close_at: 'claimed' } }
  expect(checksOf({ close_at: 'verified', projects })).toEqual([
    {
      name: 'close_at',
      state: 'warn',
      found: `close_at, projects."/a".close_at ${why}`,
      todo: 'look at its work and fleet bd close <id>, or set close_at to evidenced',
    },
  ])
  expect(checksOf({ projects })).toMatchObject([{ found: `projects."/a".close_at ${why}` }])
})

test('nothing is said of the other levels', () => {
  expect([checksOf({}), checksOf({ close_at: 'reviewed' })]).toEqual([[], []])
})
