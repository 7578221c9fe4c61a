import { execFileSync, spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { type ExitKeys, exitFile, exitRecord, keysLine, recordedExit } from '../../../src/platform/process/exit-file.ts'
import { wrapped } from '../../../src/platform/process/wrapper.ts'
import { temporaryFolder } from '../../support/cli.ts'

/** Runs an agent that exits with this code, after `script` has run in the folder of its attempt. */
function ended(folder: string, script: string, keys?: ExitKeys): number | null {
  const [file = '', ...args] = wrapped({
    exitFile: exitFile(folder),
    stdin: '/dev/null',
    umask: 0o022,
    program: '/bin/sh',
    args: ['-c', script],
  })
  return spawnSync(file, args, { cwd: folder, timeout: 20_000, input: keysLine(keys) }).status
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

const KEYS = { zero: '00ff', other: 'ee11' }

test.each([0, 1, 7, 126, 255])('exit status %d is recorded with the key that stands for it', (code) => {
  const folder = temporaryFolder()
  expect(ended(folder, `exit ${code}`, KEYS)).toBe(code)
  expect(readFileSync(exitFile(folder), 'utf8')).toBe(`{"code":${code},"key":"${code === 0 ? '00ff' : 'ee11'}"}\n`)
  expect(exitRecord(folder, KEYS)).toEqual({ kind: 'code', code })
})

test('the agent gets neither the keys nor the stdin of its wrapper', () => {
  const folder = temporaryFolder()
  const look = 'cat >seen; env >>seen; set >>seen; tr "\\0" "\\n" </proc/$PPID/cmdline >>seen 2>&1; exit 0'
  expect(ended(folder, look, KEYS)).toBe(0)
  expect(readFileSync(`${folder}/seen`, 'utf8')).not.toMatch(/00ff|ee11/)
})

test.each([
  '{"code":0}\n',
  '{"code":0,"key":"ee11"}\n',
  '{"code":0,"key":""}\n',
  '{"code":1,"key":"00ff"}\n',
  '{"code":0,"key":"00ff"}\n{"code":0,"key":"00ff"}\n',
  'anything else\n',
])('a record without the right key is not believed: %j', (forged) => {
  const folder = temporaryFolder()
  writeFileSync(exitFile(folder), forged)
  expect([exitRecord(folder, KEYS), recordedExit(folder, KEYS)]).toEqual([{ kind: 'foreign' }, undefined])
})

test('a wrapper without its keys starts nothing', () => {
  const folder = temporaryFolder()
  const [file = '', ...args] = wrapped({
    exitFile: exitFile(folder),
    stdin: '/dev/null',
    umask: 0o022,
    program: '/usr/bin/touch',
    args: [`${folder}/ran`],
  })
  expect(spawnSync(file, args, { cwd: folder, timeout: 20_000, input: '' }).status).toBe(125)
  expect(readdirSync(folder)).toEqual([])
})
