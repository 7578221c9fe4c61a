import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { testHome } from '../support/cli.ts'
import { claims, init, result, testFleet, tool, writes } from '../support/supervisor.ts'

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

test('a diff, a transcript and events show no secret to people; a diff in a pipe is whole, so that it applies', async () => {
  const secret = 'given9c1d55e0'
  const fleet = testFleet({ config: [`coders.claude.env={ACME_LOGIN="${secret}"}`] })
  const cwd = fleet.project('work', { git: true })
  const tells = tool({ run: ['sh', '-c', 'echo $ACME_LOGIN'] })
  const id = fleet.create(
    'Writes',
    [init, writes('new.txt', 'key $ACME_LOGIN\n'), writes('kept.txt', 'old $ACME_LOGIN\n'), tells, claims(), result()],
    '--cwd',
    cwd,
  )
  await fleet.start()
  await fleet.settled(id, 'closed')
  for (const name of ['diff', 'transcript', 'events', 'receipt']) {
    const { code, stdout } = fleet.fleet('task', id, name, '--json')
    expect([name, code, stdout.includes(secret)]).toEqual([name, 0, false])
  }
  const { diff } = JSON.parse(fleet.fleet('task', id, 'diff', '--json').stdout)
  expect(diff).toContain('+key [redacted]\n')
  expect(diff).toContain('+old [redacted]\n')
  expect(fleet.fleet('task', id, 'diff').stdout).toContain(`+key ${secret}\n`)
})
