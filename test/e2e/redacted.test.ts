import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { testHome } from '../support/cli.ts'

test("an agent's letters appear in the log of its task without the secrets in them", () => {
  const home = testHome()
  const secret = `sk-${'a1'.repeat(12)}`
  const task = home.bd(['create', 'tells', '-d', `fleet note "the key is ${secret}"`, '--coder', 'shell', '--silent'])
  expect(home.fleet(['run', '--once'])).toMatchObject({ code: 0 })
  const log = readFileSync(join(home.path, 'tasks', task.stdout.trim(), 'log.jsonl'), 'utf8')
  const notes = log
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
    .filter(({ event }) => event === 'note')
  expect(notes).toMatchObject([{ kind: 'note', text: 'the key is [redacted]' }])
})
