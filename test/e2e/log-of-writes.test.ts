import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { testHome } from '../support/cli.ts'

test('a command that changes something leaves no log of writes, which the next one would have to read', () => {
  const home = testHome()
  const id = home.bd(['create', 'One', '--silent']).stdout.trim()
  const commands = [
    ['bd', 'create', 'Another'],
    ['bd', 'label', 'add', id, 'urgent'],
    ['bd', 'update', id, '--priority', '1'],
    ['config', 'set', 'max_concurrent=3'],
    ['pause'],
    ['bd', 'close', id],
  ]
  const left = commands.map((words) => {
    const { code, stderr } = home.fleet(words)
    return { words, code, stderr, log: existsSync(join(home.path, 'fleet.db-wal')) }
  })
  expect(left).toEqual(commands.map((words) => ({ words, code: 0, stderr: '', log: false })))
})
