import { describe, expect, test } from 'vitest'
import { check } from '../../../src/config/check.ts'
import { defaultsFor } from '../../../src/config/defaults.ts'
import { assignmentOf, keptAssignment } from '../../../src/domain/fleet/assignment.ts'
import type { TaskSettings } from '../../../src/domain/task/settings.ts'

function chosen(task: TaskSettings, runtime: Record<string, unknown> = {}): string {
  const checked = check(runtime)
  if (!('config' in checked)) throw new Error(JSON.stringify(checked.problems))
  const { coder, model } = assignmentOf(task, defaultsFor(checked.config, task.cwd))
  return [coder, model].map(({ value, given }) => `${value ?? '-'}${given ? '' : '*'}`).join(' ')
}

describe('coder and model of a task (* is a default)', () => {
  test('no settings at all', () => expect(chosen({})).toBe('claude* sonnet*'))

  test('the task comes first', () => expect(chosen({ coder: 'codex', model: 'gpt-5' })).toBe('codex gpt-5'))

  test('the model of runtime.toml belongs to the coder of runtime.toml', () => {
    const runtime = { coder: 'claude', model: 'opus' }
    expect(chosen({}, runtime)).toBe('claude* opus*')
    expect(chosen({ coder: 'claude' }, runtime)).toBe('claude opus*')
    expect(chosen({ coder: 'codex' }, runtime)).toBe('codex -*')
  })

  test('a coder gets its own model, from its table first', () => {
    expect(chosen({ coder: 'codex' }, { coders: { codex: { model: 'gpt-5' } } })).toBe('codex gpt-5*')
  })

  test('the innermost project wins over the top level of runtime.toml', () => {
    const projects = { '/a': { coder: 'codex' }, '/a/b': { coder: 'gemini', model: 'pro' } }
    expect(chosen({ cwd: '/a' }, { projects })).toBe('codex* -*')
    expect(chosen({ cwd: '/a/b/c' }, { projects })).toBe('gemini* pro*')
    expect(chosen({ cwd: '/ab' }, { projects })).toBe('claude* sonnet*')
  })

  test('a model without a coder applies to any coder, a model with a coder only to that coder', () => {
    expect(chosen({ cwd: '/a', coder: 'codex' }, { projects: { '/a': { model: 'opus' } } })).toBe('codex opus*')
    expect(chosen({ cwd: '/a', coder: 'codex' }, { projects: { '/a': { coder: 'claude', model: 'opus' } } })).toBe(
      'codex -*',
    )
  })
})

describe('the choice of the first attempt', () => {
  const given = (value: string) => ({ value, given: true })
  const byDefault = <T extends string | undefined>(value: T) => ({ value, given: false })

  test.each([
    [
      'stays when the defaults change',
      { coder: byDefault('claude'), model: byDefault('sonnet') },
      { coder: 'codex', model: 'gpt-5' },
      { coder: byDefault('codex'), model: byDefault('gpt-5') },
    ],
    [
      'yields to the settings of the task',
      { coder: given('shell'), model: byDefault(undefined) },
      { coder: 'codex', model: 'gpt-5' },
      { coder: given('shell'), model: byDefault(undefined) },
    ],
    [
      'yields to the model of the task alone',
      { coder: byDefault('claude'), model: given('opus') },
      { coder: 'claude', model: 'sonnet' },
      { coder: byDefault('claude'), model: given('opus') },
    ],
    [
      'does not matter before the first attempt',
      { coder: byDefault('claude'), model: byDefault('sonnet') },
      { coder: null, model: null },
      { coder: byDefault('claude'), model: byDefault('sonnet') },
    ],
  ])('%s', (_, assignment, kept, result) => {
    expect(keptAssignment(assignment, kept)).toEqual(result)
  })
})
