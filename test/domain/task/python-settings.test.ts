import { expect, test } from 'vitest'
import { settingsOf, withSettings } from '../../../src/domain/task/settings.ts'

const PYTHON = {
  fleet_cwd: '/p',
  fleet_coder: 'codex',
  fleet_model: 'gpt-9',
  fleet_isolation: 'worktree',
  fleet_worker: 'job',
}

test("a task that the Python fleet made has the settings it wrote, and fleet's own win", () => {
  expect(settingsOf(PYTHON)).toEqual({ cwd: '/p', coder: 'codex', model: 'gpt-9', isolation: 'worktree' })
  expect(settingsOf({ ...PYTHON, fleet: { coder: 'claude', isolation: 'shared' } })).toEqual({
    cwd: '/p',
    coder: 'claude',
    model: 'gpt-9',
    isolation: 'shared',
  })
  expect(settingsOf({ fleet_cwd: 'relative', fleet_coder: 5, fleet_model: 'a\nb', fleet_isolation: 'docker' })).toEqual(
    {},
  )
})

test('a change replaces what the Python fleet wrote, and removing a setting removes it there too', () => {
  const after = withSettings(PYTHON, { coder: 'claude', model: '', isolation: 'shared' })
  expect(after).toEqual({ fleet_cwd: '/p', fleet_worker: 'job', fleet: { coder: 'claude', isolation: 'shared' } })
  expect(settingsOf(after)).toEqual({ cwd: '/p', coder: 'claude', isolation: 'shared' })
})
