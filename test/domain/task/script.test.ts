import { expect, test } from 'vitest'
import { scriptOf } from '../../../src/domain/task/script.ts'

test.each([
  ['the command', 'say hello', { fleet: { command: 'npm test' } }, 'npm test'],
  ['a command of several lines', '', { fleet: { command: 'set -e\nnpm test\n' } }, 'set -e\nnpm test\n'],
  ['the description if there is no command', 'npm test', {}, 'npm test'],
  ['the description if the command is blank', 'npm test', { fleet: { command: ' \n' } }, 'npm test'],
  ['the description if the command is not a string', 'npm test', { fleet: { command: ['npm'] } }, 'npm test'],
  ['nothing', ' \n', {}, undefined],
])('a script is %s', (_, description, metadata, script) => {
  expect(scriptOf({ description, metadata })).toBe(script)
})
