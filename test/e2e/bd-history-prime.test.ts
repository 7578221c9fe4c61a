import { expect, test } from 'vitest'
import { FLEET, run, temporaryFolder, testHome } from '../support/cli.ts'

test('history lists every change, newest first, with the task as it was then', () => {
  const home = testHome()
  const bd = (...argv: string[]) => home.bd([...argv, '--actor', 'ann'])
  const id = bd('create', 'First title', '-p', '1', '--silent').stdout.trim()
  bd('update', id, '--title', 'Second title', '-p', '0')
  bd('close', id, '--reason', 'done well')
  bd('reopen', id, '--reason', 'not so well')
  const issues = JSON.parse(bd('history', id, '--json').stdout) as {
    Committer: string
    Issue: Record<string, unknown>
  }[]
  const told = issues.map(({ Committer, Issue: { title, priority, status, close_reason } }) => [
    Committer,
    title,
    priority,
    status,
    close_reason,
  ])
  expect(told).toEqual([
    ['ann', 'Second title', 0, 'open', undefined],
    ['ann', 'Second title', 0, 'closed', 'done well'],
    ['ann', 'Second title', 0, 'open', undefined],
    ['ann', 'First title', 1, 'open', undefined],
  ])
  const text = bd('history', id, '--limit', '1').stdout.replace(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/, '<time>')
  expect(text).toBe(
    `\n📜 History for ${id} (1 entries)\n\n00000004 <time>\n  Author: ann\n  ○ ${id}: Second title [P0 - open]\n\n`,
  )
})

test('history --events lists what changed, and by whom', () => {
  const home = testHome()
  const bd = (...argv: string[]) => home.bd([...argv, '--actor', 'ann'])
  const [id, other] = ['One', 'Two'].map((title) => bd('create', title, '--silent').stdout.trim()) as [string, string]
  bd('note', id, 'a note')
  bd('label', 'add', id, 'ui')
  bd('dep', 'add', id, other)
  bd('update', id, '--status', 'blocked')
  bd('close', id, '--reason', 'done', '--force')
  const events = JSON.parse(bd('history', id, '--events', '--json').stdout) as Record<string, unknown>[]
  const told = events.map(({ event_type, new_value, comment }) => [event_type, new_value ?? comment])
  expect(told).toEqual([
    ['closed', 'done'],
    ['status_changed', '{"status":"blocked"}'],
    ['dependency_added', `Added dependency: ${id} blocks ${other}`],
    ['label_added', 'Added label: ui'],
    ['updated', '{"notes":"a note"}'],
    ['created', ''],
  ])
  expect(JSON.parse(events[1]?.['old_value'] as string)).toMatchObject({ id, notes: 'a note', status: 'open' })
  expect(bd('history', id, '--events', '--limit', '1').stdout).toMatch(/ closed by ann\n {2}New: done\n\n$/)
})

test('a deleted task keeps its history', () => {
  const home = testHome()
  const id = home.bd(['create', 'Gone', '--silent']).stdout.trim()
  home.bd(['delete', id, '--force'])
  const events = JSON.parse(home.bd(['history', id, '--events', '--json']).stdout) as { event_type: string }[]
  expect(events.map((event) => event.event_type)).toEqual(['deleted', 'created'])
  expect(home.bd(['history', id]).stdout).toContain(`History for ${id} (2 entries)`)
})

test('prime explains the queue to a person’s agent, and its own task to an agent of fleet', () => {
  const home = testHome()
  const id = home.bd(['create', 'Own', '--silent']).stdout.trim()
  const full = home.bd(['prime']).stdout
  const brief = home.bd(['prime', '--mcp']).stdout
  expect(full.startsWith(brief.trimEnd())).toBe(true)
  expect(full).toContain('`fleet bd ready`')
  const inside = home.bd(['prime'], { env: { FLEET_RUN_ID: 'run-1', FLEET_TASK_ID: id } }).stdout
  expect(inside).toContain(`You are working on ${id}`)
  const hook = home.bd(['prime', '--mcp', '--hook-json']).stdout
  expect(JSON.parse(hook)).toEqual({
    hookSpecificOutput: { hookEventName: 'SessionStart', additionalContext: brief.trimEnd() },
  })
})

test('every command that prime names exists', () => {
  const home = testHome()
  const named = [...home.bd(['prime']).stdout.matchAll(/`fleet bd ([a-z]+)/g)].map((match) => match[1] as string)
  for (const name of new Set(named)) expect([name, home.bd([name, '--help']).code]).toEqual([name, 0])
})

test('without a home, prime prints nothing and ping gives the reason', () => {
  const env = { FLEET_HOME: `${temporaryFolder()}/none` }
  const bd = (...argv: string[]) => run(process.execPath, [FLEET, 'bd', ...argv], { env })
  expect(bd('prime')).toEqual({ code: 0, stdout: '', stderr: '' })
  expect(JSON.parse(bd('prime', '--hook-json').stdout).hookSpecificOutput.additionalContext).toBe('')
  expect(bd('ping')).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(/^Error: bd ping: .* \(\d+ms\)\nHint: /),
  })
  const answer = bd('ping', '--json')
  expect([answer.code, JSON.parse(answer.stdout).status]).toEqual([1, 'error'])
})
