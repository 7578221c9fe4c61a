import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import {
  answerHook,
  BOUNDED_HOOK_LINES,
  fitting,
  HOOK_LINES,
  hookCall,
  hookOutput,
} from '../../../src/domain/agent/hook.ts'
import { type HookOrder, hookOrderOf, orderKey, orderName } from '../../../src/domain/agent/hook-order.ts'
import { signedText } from '../../../src/domain/agent/letter-proof.ts'
import { temporaryFolder } from '../../support/cli.ts'
import { eventually } from '../../support/home-run.ts'

const MESSAGE: HookOrder = { v: 1, run: 'r1', kind: 'message', id: 7, at: 1000, by: 'ada', text: 'Use the new name.' }

test('before a tool the agent is told every message, and the tool is not refused', () => {
  const call = hookCall('PreToolUse', '{"tool_name":"Bash","tool_input":{"command":"ls"},"cwd":"/p","more":1}')
  expect(call).toEqual({ event: 'PreToolUse', tool: 'Bash', input: { command: 'ls' }, cwd: '/p' })
  const answer = answerHook(call, [MESSAGE, { ...MESSAGE, id: 8, text: 'And the old tests.' }])
  expect(answer.delivers).toEqual([7, 8])
  expect(JSON.parse(hookOutput('PreToolUse', answer) ?? '')).toEqual({
    hookSpecificOutput: { hookEventName: 'PreToolUse', additionalContext: answer.say },
  })
  expect(answer.say).toContain('A message for you from ada, through fleet, which runs you:\n\nUse the new name.\n')
  expect(answer.say).toContain('And the old tests.')
})

test('a message at the end of a turn makes the agent go on', () => {
  const answer = answerHook(hookCall('Stop', 'not JSON'), [MESSAGE])
  expect(JSON.parse(hookOutput('Stop', answer) ?? '')).toEqual({ decision: 'block', reason: answer.say })
  expect(answer.say).toContain('before you end your turn')
})

test('messages that are too long for one call are told oldest first, and the next calls tell the others', () => {
  const call = hookCall('PreToolUse', '{}')
  const ofLength = (id: number, length: number) => ({ ...MESSAGE, id, text: 'x'.repeat(length) })
  const told = (...orders: readonly HookOrder[]) => fitting(call, orders).map(({ id }) => id)
  expect(told(ofLength(1, 4000), ofLength(2, 4000), ofLength(3, 4000), ofLength(4, 10))).toEqual([1, 2])
  expect(told(ofLength(1, 20_000), ofLength(2, 10))).toEqual([1])
  expect(told(...Array.from({ length: 30 }, (_, n) => ofLength(n, 10)))).toHaveLength(20)
  const { say = '' } = answerHook(call, [ofLength(1, 4000), ofLength(2, 4000)])
  expect(say.length).toBeLessThan(9000)
})

test('without an order nothing is printed, so the call passes', () => {
  const answer = answerHook(hookCall('Stop', '{}'), [])
  expect(answer).toEqual({ delivers: [] })
  expect(hookOutput('Stop', answer)).toBeUndefined()
  expect(hookOutput('PreToolUse', answer)).toBeUndefined()
})

test('a refused call has its reason', () => {
  expect(JSON.parse(hookOutput('PreToolUse', { deny: 'it is outside of src', delivers: [] }) ?? '')).toEqual({
    hookSpecificOutput: {
      hookEventName: 'PreToolUse',
      permissionDecision: 'deny',
      permissionDecisionReason: 'it is outside of src',
    },
  })
})

test('only an order that fleet signed for this run counts', () => {
  const key = orderKey('the secret of the store')
  const signed = signedText(MESSAGE, key)
  expect(hookOrderOf(signed, { run: 'r1', check: key.x })).toEqual(MESSAGE)
  expect(hookOrderOf(signed, { run: 'r2', check: key.x })).toBeUndefined()
  expect(hookOrderOf(signed, { run: 'r1', check: orderKey('another').x })).toBeUndefined()
  expect(hookOrderOf(signed.replace('new name', 'old name'), { run: 'r1', check: key.x })).toBeUndefined()
  expect(hookOrderOf('{', { run: 'r1', check: key.x })).toBeUndefined()
  expect(orderName(MESSAGE)).toBe('message-000000000007.json')
})

test.each(['PreToolUse', 'Stop'] as const)(
  'the line of %s passes every call without an order, also where fleet is gone',
  (event) => {
    const run = (env: Record<string, string>) =>
      execFileSync('/bin/sh', ['-c', HOOK_LINES[event]], { env, input: '', encoding: 'utf8' })
    expect(run({ PATH: '/usr/bin:/bin', FLEET_HOOKS: '/nowhere', FLEET_COMMAND: '/nowhere/fleet' })).toBe('')
  },
)

test('the line of a run with a scope refuses every call that nobody has judged', () => {
  const folder = temporaryFolder()
  const fleet = join(folder, 'fleet')
  writeFileSync(fleet, '#!/bin/sh\necho half an answer\nexit 1\n', { mode: 0o755 })
  const run = (command: string) => {
    const env = { PATH: '/usr/bin:/bin', FLEET_HOOKS: folder, FLEET_COMMAND: command }
    return spawnSync('/bin/sh', ['-c', BOUNDED_HOOK_LINES.PreToolUse], { env, input: '', encoding: 'utf8' })
  }
  for (const command of ['/nowhere/fleet', fleet]) {
    expect(run(command)).toMatchObject({ status: 2, stdout: '', stderr: expect.stringContaining('has a scope') })
  }
  writeFileSync(fleet, '#!/bin/sh\nprintf judged\n', { mode: 0o755 })
  expect(run(fleet)).toMatchObject({ status: 0, stdout: 'judged' })
})

test('the line of a run with a scope refuses a call that nobody judges in time, and leaves no process', async () => {
  const folder = temporaryFolder()
  const program = (name: string, text: string) =>
    writeFileSync(join(folder, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 })
  const env = { PATH: `${folder}:/usr/bin:/bin`, FLEET_HOOKS: folder, FLEET_COMMAND: join(folder, 'fleet') }
  const line = () =>
    spawnSync('/bin/sh', ['-c', BOUNDED_HOOK_LINES.PreToolUse], { env, input: 'the call', encoding: 'utf8' })
  program('sleep', '')
  program('fleet', 'echo half; exec /bin/sleep 600')
  expect(line()).toMatchObject({ status: 2, stdout: '', stderr: expect.stringContaining('could not judge') })

  program('sleep', `echo $$ >"$FLEET_HOOKS/nap"; exec /bin/sleep "$1"`)
  program('fleet', 'until [ -s "$FLEET_HOOKS/nap" ]; do :; done; cat')
  expect(line()).toMatchObject({ status: 0, stdout: 'the call', stderr: '' })
  const nap = readFileSync(join(folder, 'nap'), 'utf8').trim()
  const state = () => spawnSync('ps', ['-o', 'stat=', '-p', nap], { encoding: 'utf8' }).stdout.trim()
  await eventually(() => state() === '' || state().startsWith('Z'), 'the sleep ends')
})

test('a call outside of the scope is refused with what the agent can do instead, and delivers nothing', () => {
  const refusal = { kind: 'scope', what: 'lib/a', why: 'this task may change only src/**' } as const
  const order = { v: 1, run: 'r', kind: 'message', id: 1, at: 1, by: 'ann', text: 'hurry' } as const
  expect(fitting(hookCall('PreToolUse', '{}'), [order], refusal)).toEqual([])
  expect(answerHook(hookCall('PreToolUse', '{}'), [], refusal)).toEqual({
    deny: 'fleet refused this call (lib/a): this task may change only src/**. Work without it; if the task cannot be done so, ask a person: fleet ask "<question>", and stop.',
    delivers: [],
  })
})
