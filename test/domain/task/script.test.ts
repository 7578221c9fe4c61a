import { expect, test } from 'vitest'
import { scriptOf } from '../../../src/domain/task/script.ts'

test.each([
  ['the command', 'say hello', { fleet: { command: 'npm test' } }, 'npm test'],
  ['a command of several lines', '', { fleet: { command: 'set -e\nnpm test\n' } }, 'set -e\nnpm test\n'],
  ['the description where there is no command', 'npm test', {}, 'npm test'],
  ['the description where the command says nothing', 'npm test', { fleet: { command: ' \n' } }, 'npm test'],
  [
    'the description where the command is none that can be run',
    'npm test',
    { fleet: { command: ['npm'] } },
    'npm test',
  ],
  ['nothing', ' \n', {}, undefined],
])('a script is %s', (_, description, metadata, script) => {
  expect(scriptOf({ description, metadata })).toBe(script)
})
