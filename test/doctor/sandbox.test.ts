import { expect, test } from 'vitest'
import { withoutModel } from '../../src/doctor/sandbox.ts'

test('doctor names coders that a sandbox without a network cuts off from their model, and no scripts', () => {
  const config = { coder: 'claude', sandbox: 'required', sandbox_network: 'on', projects: {} } as const
  expect(withoutModel(config)).toEqual([])
  expect(withoutModel({ ...config, sandbox_network: 'off' })).toEqual(['claude'])
  expect(withoutModel({ ...config, sandbox_network: 'off', sandbox: 'off' })).toEqual([])
  const projects = {
    '/a': { sandbox_network: 'off', coder: 'shell' },
    '/b': { sandbox_network: 'off', coder: 'codex' },
  } as const
  expect(withoutModel({ ...config, projects })).toEqual(['codex'])
})
