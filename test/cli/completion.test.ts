import { describe, expect, test } from 'vitest'
import { placeOf } from '../../src/cli/completion/position.ts'
import type { Flag } from '../../src/cli/flags.ts'

const FLAGS: readonly Flag[] = [
  { name: 'json', kind: 'switch', help: '' },
  { name: 'coder', kind: 'text', help: '' },
  { name: 'limit', short: 'n', kind: 'number', help: '' },
]

describe('the place of a word follows from the usage and the flags of its command', () => {
  test.each([
    ['<id> [--json]', [''], { kind: 'task' }],
    ['<id> [--json]', ['--json', ''], { kind: 'task' }],
    ['<id> [--json]', ['fleet-a', ''], { kind: 'other' }],
    ['<id> log|plan [-f]', ['a', ''], { kind: 'words', words: ['log', 'plan'] }],
    ['<id>...|--all', ['a', 'b', ''], { kind: 'task' }],
    ['[id...] [flags]', ['a', ''], { kind: 'task' }],
    ['[<id>] [--diff] [--accept | --reject NOTE] [--json]', [''], { kind: 'task' }],
    ['[<id>... [--trust]] [--json]', ['a', ''], { kind: 'task' }],
    ['[issue-id] [depends-on-id] [flags]', ['a', ''], { kind: 'other' }],
    ['<id1> <id2> [flags]', ['a', ''], { kind: 'task' }],
    ['<key>=<value>...', ['a=1', ''], { kind: 'assignment' }],
    ['<key> [--json]', [''], { kind: 'key' }],
    ['[title] [flags]', [''], { kind: 'other' }],
    ['<id>', ['--j'], { kind: 'flags' }],
    ['<id>', ['--coder', ''], { kind: 'coder' }],
    ['<id>', ['-n', ''], { kind: 'other' }],
    ['<id>', ['-n', '5', ''], { kind: 'task' }],
    ['<id>', ['--', '-'], { kind: 'task' }],
  ] as const)('%s, typed %j', (usage, words, place) => {
    expect(placeOf({ usage, flags: FLAGS }, words)).toEqual(place)
  })
})
