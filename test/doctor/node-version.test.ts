import { expect, test } from 'vitest'
import { checkNode } from '../../src/doctor/tools.ts'

test.each([
  ['v20.18.3', 'fail'],
  ['v20.19.0', 'ok'],
  ['v21.7.3', 'fail'],
  ['v22.2.0', 'fail'],
  ['v22.3.0', 'ok'],
  ['v23.0.0', 'ok'],
  ['v26.10.0', 'ok'],
])('Node %s: %s', (version, state) => {
  expect(checkNode(version)).toMatchObject({ name: 'node', state })
})
