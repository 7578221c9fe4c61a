import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { exitFile, recordedExit } from '../../../src/platform/process/exit-file.ts'
import { wrapped } from '../../../src/platform/process/wrapper.ts'
import { temporaryFolder } from '../../support/cli.ts'

/** Runs an agent that exits with this code, after `script` has run in the folder of its attempt. */
function ended(folder: string, script: string): number | null {
  const [file = '', ...args] = wrapped({
    exitFile: exitFile(folder),
    umask: 0o022,
    program: '/bin/sh',
    args: ['-c', script],
  })
  return spawnSync(file, args, { cwd: folder, timeout: 20_000 }).status
}

test('an exit is recorded in one line, for its owner alone', () => {
  const folder = temporaryFolder()
  expect(ended(folder, 'exit 7')).toBe(7)
  expect(readFileSync(exitFile(folder), 'utf8')).toBe('{"code":7}\n')
  expect(statSync(exitFile(folder)).mode & 0o777).toBe(0o600)
})

test('a pipe in place of the exit file does not block the wrapper', () => {
  const folder = temporaryFolder()
  expect(ended(folder, 'mkfifo exit.json; exit 7')).toBe(7)
  expect(recordedExit(folder)).toBe(undefined)
})

test('a link to a pipe does not block it either', () => {
  const folder = temporaryFolder()
  execFileSync('mkfifo', [`${folder}/pipe`])
  expect(ended(folder, 'ln -s pipe exit.json; exit 7')).toBe(7)
})

test.each(['ln -s precious', 'ln precious'])('the exit is not written to a file of the user through %s', (link) => {
  const folder = temporaryFolder()
  writeFileSync(`${folder}/precious`, 'keep me\n')
  expect(ended(folder, `${link} exit.json; exit 7`)).toBe(7)
  expect(readFileSync(`${folder}/precious`, 'utf8')).toBe('keep me\n')
})

test.each(['{"code":0}\n', '{"code":0}', '{"code":000}\n', '{"code":0}\n{"code":0}\n'])(
  'the text of an agent is not taken for its exit: %j',
  (forged) => {
    const folder = temporaryFolder()
    writeFileSync(`${folder}/forged`, forged)
    expect(ended(folder, 'cat forged >exit.json; exit 7')).toBe(7)
    expect(recordedExit(folder)).toBe(7)
  },
)
