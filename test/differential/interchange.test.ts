import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type TestHome, temporaryFolder, testHome } from '../support/cli.ts'
import { bdBinary } from './bd.ts'
import { type Invoke, realBd } from './harness.ts'

describe.skipIf(bdBinary === '')('a queue moves between bd and fleet', () => {
  test('fleet imports bd’s export and exports it again byte for byte', { timeout: 120_000 }, async () => {
    const bd = await queueOfBd()
    await said(bd, [
      'create',
      'Plan <the> & "release" 🎈',
      '-d',
      'two\nlines',
      '-l',
      'b,a',
      '--metadata',
      '{"k":{"n":1.5}}',
    ])
    const epic = (await said(bd, ['create', 'Epic', '-t', 'epic', '-p', '1', '--silent'])).trim()
    const child = (await said(bd, ['create', 'Child', '--parent', epic, '--due', '2030-01-01', '--silent'])).trim()
    const other = (await said(bd, ['create', 'Other', '-e', '30', '--external-ref', 'gh-9', '--silent'])).trim()
    await said(bd, ['dep', 'add', child, other])
    await said(bd, ['dep', 'add', other, 'external:web:login', '-t', 'tracks'])
    await said(bd, ['dep', 'relate', epic, other])
    await said(bd, ['create', 'Waiting', '--waits-for', epic, '--waits-for-gate', 'any-children'])
    await said(bd, ['comment', other, 'first\nsecond'])
    await said(bd, ['comment', other, 'third'])
    await said(bd, ['update', other, '--claim'])
    await said(bd, ['close', other, '-r', 'done'])
    const exported = await said(bd, ['export'])

    const home = testHome()
    imported(home, exported)
    expect(home.bd(['export']).stdout).toBe(exported)
  })

  test('fleet’s export survives a round trip through bd', { timeout: 120_000 }, async () => {
    const home = testHome()
    const make = async (...argv: string[]) => (await said(home.bd, argv)).trim()
    const a = await make('q', 'Task <a> & "b"', '-p', '0')
    const b = await make('create', 'Task b', '-d', 'text', '-l', 'x,y', '--coder', 'shell', '--silent')
    await make('dep', 'add', a, b)
    await make('comment', b, 'one')
    await make('comment', b, 'two')
    await make('close', b, '-r', 'done')
    const exported = await make('export')

    const bd = await queueOfBd()
    const taken = await bd(['import', '-'], { input: exported, env: {} })
    expect({ code: taken.code, stderr: taken.stderr }).toEqual({
      code: 0,
      stderr: 'Imported 2 issues from stdin\n',
    })
    expect(objects(await said(bd, ['export']))).toEqual(objects(exported))
  })

  test('fields that fleet only stores survive the round trip', { timeout: 120_000 }, async () => {
    const line = JSON.stringify({
      id: 'fleet-gate',
      title: 'Gate',
      issue_type: 'gate',
      status: 'open',
      priority: 1,
      created_at: '2026-03-01T10:00:00Z',
      updated_at: '2026-03-01T10:00:00Z',
      source_system: 'jira',
      compaction_level: 1,
      compacted_at: '2026-03-01T10:00:00Z',
      compacted_at_commit: 'abc',
      original_size: 10,
      sender: 's',
      await_type: 'timer',
      await_id: 'i',
      timeout: 5000000000,
      waiters: ['w1', 'w2'],
      mol_type: 'swarm',
      work_type: 'mutex',
      event_kind: 'k',
      actor: 'a',
      target: 't',
      payload: 'p',
    })
    const bd = await queueOfBd()
    await bd(['import', '-'], { input: line, env: {} })
    const home = testHome()
    imported(home, await said(bd, ['export']))
    const back = home.bd(['export']).stdout
    expect(objects(back)[0]).toMatchObject(JSON.parse(line))
    expect(back).toBe(await said(bd, ['export']))
  })
})

async function queueOfBd(): Promise<Invoke> {
  const folder = temporaryFolder()
  const project = join(folder, 'project')
  mkdirSync(project)
  return await realBd(bdBinary, folder, project)
}

async function said(invoke: Invoke | TestHome['bd'], argv: readonly string[]): Promise<string> {
  const ran = await invoke([...argv], { input: '', env: {} })
  if (ran.code !== 0) throw new Error(`${argv.join(' ')}: ${ran.stderr}${ran.stdout}`)
  return ran.stdout
}

function imported(home: TestHome, lines: string): void {
  const ran = home.bd(['import', '-'], { input: lines })
  if (ran.code !== 0) throw new Error(ran.stderr)
}

function objects(lines: string): unknown[] {
  return lines
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
}
