import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { testHome } from '../support/cli.ts'

const RUN = { FLEET_RUN_ID: 'run-1', FLEET_TASK_ID: 'fleet-a1b' }

function itemsIn(home: string): unknown[] {
  const inbox = join(home, 'tasks', 'fleet-a1b', 'inbox')
  return readdirSync(inbox)
    .sort()
    .map((name) => JSON.parse(readFileSync(join(inbox, name), 'utf8')))
    .map(({ at, ...letter }) => ({ ...letter, at: typeof at }))
}

test('`fleet done`, `ask` and `note` each leave one file in the inbox of the run', () => {
  const home = testHome()
  expect(home.fleet(['done', 'Fixed', 'the login'], { env: RUN })).toEqual({
    code: 0,
    stdout: 'Recorded. The supervisor checks the work when you exit; stop now.\n',
    stderr: '',
  })
  const ask = ['ask', 'Which database?', '--option', 'sqlite', '--option', 'a, b', '--default', 'sqlite']
  expect(home.fleet(ask, { env: RUN })).toEqual({
    code: 0,
    stdout: 'Asked. Stop now, without guessing the answer; your task continues when a person has answered.\n',
    stderr: '',
  })
  expect(home.fleet(['note', '-'], { env: RUN, input: 'two\nlines\n' })).toEqual({
    code: 0,
    stdout: 'Noted. Continue.\n',
    stderr: '',
  })
  const from = { v: 1, run: 'run-1', at: 'number' }
  expect(itemsIn(home.path)).toEqual([
    { ...from, item: { kind: 'done', summary: 'Fixed the login' } },
    { ...from, item: { kind: 'ask', text: 'Which database?', options: ['sqlite', 'a, b'], suggestion: 'sqlite' } },
    { ...from, item: { kind: 'note', text: 'two\nlines' } },
  ])
})

test('an agent can leave a letter without opening the store', () => {
  const home = testHome()
  expect(home.fleet(['done'], { env: { ...RUN, FLEET_HOME: home.project } }).code).toBe(0)
  expect(itemsIn(home.project)).toEqual([{ v: 1, run: 'run-1', at: 'number', item: { kind: 'done', summary: '' } }])
})

test('a summary that begins with a hyphen is text, not a flag', () => {
  const home = testHome()
  expect(home.fleet(['done', '- fixed\n- tested'], { env: RUN }).code).toBe(0)
  expect(itemsIn(home.path)).toMatchObject([{ item: { kind: 'done', summary: '- fixed\n- tested' } }])
})

test('outside a run, the commands for agents tell a person what to use instead', () => {
  const home = testHome()
  expect(home.fleet(['done', 'x'])).toEqual({
    code: 2,
    stdout: '',
    stderr: `fleet: fleet done is for agents inside their run, and this is no run of ${home.path}\n  a person closes a task with fleet bd close <id>\n`,
  })
  expect([home.fleet(['ask', 'x']).code, home.fleet(['note', 'x']).code]).toEqual([2, 2])
})

test('a run of another home does not count as a run of this one', () => {
  const home = testHome()
  const env = { ...RUN, FLEET_TASK_DIR: '/elsewhere/tasks/fleet-a1b' }
  expect([home.fleet(['done'], { env }).code, home.bd(['list'], { env }).code]).toEqual([2, 0])
})

test('a run that names no task, or a path instead, is refused', () => {
  const home = testHome()
  for (const task of ['', '../../etc', 'fleet-a1b/../x']) {
    expect(home.fleet(['done'], { env: { FLEET_RUN_ID: 'run-1', FLEET_TASK_ID: task } }).code).toBe(2)
  }
})

test('an empty or oversized text is refused and nothing is recorded', () => {
  const home = testHome()
  const huge = { env: RUN, input: 'x'.repeat(70_000) }
  expect([home.fleet(['ask'], { env: RUN }).code, home.fleet(['note', ' '], { env: RUN }).code]).toEqual([2, 2])
  expect(home.fleet(['done', '-'], huge)).toEqual({
    code: 2,
    stdout: '',
    stderr: expect.stringMatching(
      /^fleet: the text is too long: \d+ bytes of at most 65536\n {2}put it into a file in \$FLEET_ARTIFACT_DIR and name the file\n$/,
    ),
  })
})
