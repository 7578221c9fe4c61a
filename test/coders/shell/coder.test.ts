import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { interpreterOf, shell } from '../../../src/coders/shell/coder.ts'
import { emptyDigest } from '../../../src/domain/run/digest.ts'
import { run, temporaryFolder } from '../../support/cli.ts'

/** Writes the script where a run would have it and starts it as `launch` says. */
function ran(script: string): { code: number | null; stdout: string; stderr: string; verdict: unknown } {
  const folder = join(temporaryFolder(), "a b'c")
  mkdirSync(folder)
  const file = join(folder, 'script')
  writeFileSync(file, script, { mode: 0o600 })
  const launch = shell.launch({
    model: undefined,
    cwd: folder,
    promptFile: join(folder, 'prompt.md'),
    script: { file, text: script },
    newSession: 'unused',
    permissions: 'full',
    lean: false,
    isRoot: false,
  })
  const { code, stdout, stderr } = run(shell.binary, launch.args, { cwd: folder })
  return { code, stdout, stderr, verdict: shell.verdict({ kind: 'code', code: code ?? -1 }, emptyDigest(), stderr) }
}

test('a script is run by sh, and exit 0 is its claim', () => {
  expect(ran('echo "$((1 + 2))"')).toEqual({ code: 0, stdout: '3\n', stderr: '', verdict: { kind: 'finished' } })
})

test('a script that names its interpreter is run by that one', () => {
  const { stdout, verdict } = ran(`#!/usr/bin/env node\nconsole.log(typeof require, process.argv.length)\n`)
  expect({ stdout, verdict }).toEqual({ stdout: 'function 2\n', verdict: { kind: 'finished' } })
})

test('a script that fails is an error with its code and its last words', () => {
  expect(ran('echo no luck >&2; exit 3').verdict).toEqual({
    kind: 'failed',
    outcome: { code: 'error', text: 'exit 3: no luck' },
  })
})

test('an interpreter that is missing fails this task alone', () => {
  const { code, verdict } = ran('#!/nowhere/python\n')
  expect({ code, verdict }).toMatchObject({ code: 127, verdict: { kind: 'failed', outcome: { code: 'error' } } })
})

test('a script that was killed says by what, and an exit nobody recorded is a lost run', () => {
  expect(shell.verdict({ kind: 'code', code: 137 }, emptyDigest(), '')).toEqual({
    kind: 'failed',
    outcome: { code: 'error', text: 'exit 137 (SIGKILL)' },
  })
  expect(shell.verdict({ kind: 'unknown' }, emptyDigest(), '')).toEqual({
    kind: 'failed',
    outcome: { code: 'lost', text: 'exit unknown' },
  })
})

test('the first line is read as the kernel reads it', () => {
  expect(
    [
      'echo',
      '#!/bin/bash\nx',
      '#! /bin/bash -e  \nx',
      '#!/usr/bin/env -S node --flag\n',
      '#!\n',
      '# !/bin/sh',
      ' #!/bin/sh',
    ].map(interpreterOf),
  ).toEqual([
    undefined,
    ['/bin/bash'],
    ['/bin/bash', '-e'],
    ['/usr/bin/env', '-S node --flag'],
    undefined,
    undefined,
    undefined,
  ])
})

test('each line it prints is a text, bounded', () => {
  expect([shell.parse('hello\r'), shell.parse(''), shell.parse('x'.repeat(5000))]).toEqual([
    [{ type: 'text', text: 'hello' }],
    [],
    [{ type: 'text', text: `${'x'.repeat(2000)}…` }],
  ])
})
