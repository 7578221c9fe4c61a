import { expect, test } from 'vitest'
import { agy } from '../../../src/coders/agy/coder.ts'
import { emptyDigest } from '../../../src/domain/run/digest.ts'
import type { Coder, Order } from '../../../src/ports/coder.ts'
import { ORDER as USUAL } from '../../support/order.ts'

const ORDER: Order = { ...USUAL }
const env = { AGY_CLI_DISABLE_AUTO_UPDATE: '1' }
const STREAMS = ['--input-format=stream-json', '--output-format=stream-json']
/** It works in the directory of its task, and its turns last as long as fleet lets them. */
const ALWAYS = [
  `--add-dir=${USUAL.cwd}`,
  ...(USUAL.writes ?? []).map((folder) => `--add-dir=${folder}`),
  '--print-timeout=24h',
]

function versioned(version: string): Coder {
  return agy.forVersion?.(version) as Coder
}

test('the prompt goes to stdin as one event, and never into an argument', () => {
  const { promptAs, ...launch } = versioned('1.2.17').launch(ORDER)
  expect(launch).toEqual({ args: [...STREAMS, '--dangerously-skip-permissions', ...ALWAYS], stdin: 'prompt', env })
  const line = promptAs?.('Fix "it",\nplease\u2028now') ?? ''
  expect(line.indexOf('\n')).toBe(line.length - 1)
  expect(JSON.parse(line)).toEqual({
    event: 'user',
    message: { role: 'user', content: 'Fix "it",\nplease\u2028now' },
  })
})

test('a conversation is resumed by its id, in the sandbox if permissions are workspace', () => {
  const order: Order = { ...ORDER, session: 'abc', model: 'gemini-3-pro-high', permissions: 'workspace' }
  expect(versioned('agy version v1.3.0 (linux/amd64)').launch(order).args).toEqual([
    ...STREAMS,
    '--model=gemini-3-pro-high',
    '--conversation=abc',
    '--sandbox',
    '--dangerously-skip-permissions',
    ...ALWAYS,
  ])
  expect(versioned('1.3.0').launch({ ...ORDER, permissions: 'settings' }).args).toEqual([...STREAMS, ...ALWAYS])
})

test('the folders that it must write to are added, and an unknown version counts as one with events', () => {
  const { args } = agy.launch({ ...ORDER, cwd: '/project', writes: ['/artifacts', '/inbox'] })
  expect(args).toEqual([
    ...STREAMS,
    '--dangerously-skip-permissions',
    '--add-dir=/project',
    '--add-dir=/artifacts',
    '--add-dir=/inbox',
    '--print-timeout=24h',
  ])
})

test('before 1.1.8 it gets one line that names the prompt, and its output is text', () => {
  const old = versioned('1.1.7')
  expect(old.launch({ ...ORDER, model: 'm' })).toEqual({
    args: [
      '-p',
      'Read /attempt/prompt.md to its end and do what it says.',
      '--model=m',
      '--dangerously-skip-permissions',
      ...ALWAYS,
    ],
    stdin: 'closed',
    env,
  })
  expect(old.traits).toEqual({ ...agy.traits, stream: 'text', resume: false })
  expect(old.parse('{"event":"init"}')).toEqual([{ type: 'text', text: '{"event":"init"}' }])
  const verdict = (code: number, stderr: string) => old.verdict({ kind: 'code', code }, emptyDigest(), stderr)
  expect(verdict(0, '')).toEqual({ kind: 'finished' })
  expect(verdict(2, 'no such flag')).toEqual({ kind: 'failed', outcome: { code: 'bad-flag', text: 'no such flag' } })
  expect(verdict(3, 'AGY_ERROR: {"short_error":"quota reached"}')).toMatchObject({ outcome: { code: 'usage-limit' } })
})
