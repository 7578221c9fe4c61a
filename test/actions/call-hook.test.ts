import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { callHook } from '../../src/actions/call-hook.ts'
import type { HookEvent } from '../../src/domain/agent/hook.ts'
import { type HookMessage, orderKey, orderName } from '../../src/domain/agent/hook-order.ts'
import { signedText } from '../../src/domain/agent/letter-proof.ts'
import type { CallBounds } from '../../src/domain/scope/judge-call.ts'
import { Home } from '../../src/platform/files/home.ts'
import { temporaryFolder } from '../support/cli.ts'

const KEY = orderKey('the secret of the store')
const BOUNDS: CallBounds = {
  scope: { readOnly: false, writes: ['src/**'] },
  root: '/p',
  userHome: '/home/ada',
  home: '/home/ada/.fleet',
  own: [],
  git: [],
  settings: [],
}

/** A run with these messages for its hooks. */
function hooked(...texts: readonly string[]) {
  const home = new Home(temporaryFolder())
  const task = home.task('fleet-a1b')
  const folder = join(task, 'hooks')
  mkdirSync(folder, { recursive: true })
  const orders = texts.map((text, n): HookMessage => {
    return { v: 1, run: 'r1', kind: 'message', id: n + 1, at: 1, by: 'ada', text }
  })
  for (const order of orders) writeFileSync(join(folder, orderName(order)), signedText(order, KEY))
  const env = {
    FLEET_RUN_ID: 'r1',
    FLEET_TASK_ID: 'fleet-a1b',
    FLEET_TASK_DIR: task,
    FLEET_HOOKS: folder,
    FLEET_HOOKS_CHECK: KEY.x,
  }
  return {
    folder,
    task,
    call(event: HookEvent, more: Record<string, string> = {}, print?: (line: string) => void): string {
      const printed: string[] = []
      const told = JSON.stringify({ tool_name: 'Read', tool_input: { file_path: '/p/src/a' }, cwd: '/p' })
      callHook({ home, env: { ...env, ...more }, event, told, print: print ?? ((line) => printed.push(line)) })
      return printed.join('')
    },
    letters: () =>
      readdirSync(join(task, 'inbox')).map((name) => JSON.parse(readFileSync(join(task, 'inbox', name), 'utf8')).item),
  }
}

test('a call delivers what fits, and the next one the rest, each with a receipt', () => {
  const run = hooked('x'.repeat(4000), 'y'.repeat(4000), `the third ${'z'.repeat(3000)}`)
  expect(run.call('PreToolUse')).not.toContain('the third')
  expect(run.call('PreToolUse')).toContain('the third')
  expect(run.call('PreToolUse')).toBe('')
  expect(run.letters()).toEqual(
    expect.arrayContaining([
      { kind: 'delivered', messages: [1, 2], before: 'Read' },
      { kind: 'delivered', messages: [3], before: 'Read' },
    ]),
  )
})

test.each([
  ['a call', 'PreToolUse', {}],
  ['a call of a run with a scope', 'PreToolUse', { FLEET_BOUNDS: JSON.stringify(BOUNDS) }],
  ['the end of a turn', 'Stop', {}],
] as const)('words whose receipt cannot be posted come once, and do not hold up %s', (_, event, more) => {
  const run = hooked('Use the new name')
  writeFileSync(join(run.task, 'inbox'), 'no folder')
  expect(run.call(event, more)).toContain('Use the new name')
  expect(run.call(event, more)).toBe('')
  expect(readFileSync(join(run.folder, 'failed'), 'utf8')).toBe(`${event}\n`)
})

test('a message that was told stays told where an agent puts its order back', () => {
  const run = hooked('Use the new name')
  const order = join(run.folder, readdirSync(run.folder)[0] ?? '')
  const signed = readFileSync(order)
  expect(run.call('Stop')).toContain('Use the new name')
  writeFileSync(order, signed)
  expect(run.call('Stop')).toBe('')
})

test('words that cannot be printed are told by the next call', () => {
  const run = hooked('Use the new name')
  const gone = () => {
    throw new Error('the reader has gone')
  }
  expect(() => run.call('Stop', {}, gone)).toThrow('the reader has gone')
  expect(run.call('Stop')).toContain('Use the new name')
})
