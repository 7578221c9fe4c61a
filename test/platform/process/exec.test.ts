import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type ExecOptions, exec, whyNotEnded } from '../../../src/platform/process/exec.ts'
import { processEntry } from '../../../src/platform/process/process-table.ts'
import { temporaryFolder } from '../../support/cli.ts'
import { eventually } from '../../support/home-run.ts'

const LONG = 60_000

function sh(script: string, options: Partial<ExecOptions> = {}): ReturnType<typeof exec> {
  return exec('/bin/sh', { argv: ['-c', script], timeoutMs: LONG, ...options })
}

/** Whether the process whose pid a script wrote there is gone. */
function isGone(file: string): boolean {
  try {
    process.kill(Number(readFileSync(file, 'utf8')), 0)
    return false
  } catch {
    return true
  }
}

test('a program that ends tells its exit code and all that it printed', async () => {
  expect(await sh('echo out; echo err >&2; exit 3')).toEqual({
    kind: 'ended',
    code: 3,
    out: Buffer.from('out\n'),
    err: 'err\n',
  })
  expect(await sh('kill -9 $$')).toMatchObject({ kind: 'ended', code: null })
})

test('it gets its input, its environment and its directory; without input it reads an empty stdin', async () => {
  const cwd = temporaryFolder()
  const run = await sh('cat; echo "$WORD"; pwd -P', { input: 'in\n', env: { WORD: 'word' }, cwd })
  expect(run).toMatchObject({ kind: 'ended', out: Buffer.from(`in\nword\n${cwd}\n`) })
  expect(await sh('cat; pwd')).toMatchObject({ kind: 'ended', out: Buffer.from('/\n') })
  expect(await sh('exit 0', { input: 'x'.repeat(1 << 20) })).toMatchObject({ kind: 'ended', code: 0 })
})

test('a program that cannot be started says why, also for arguments that no process can have', async () => {
  const missing = await exec('/no/such/program', { argv: [] })
  expect(missing).toMatchObject({ kind: 'not-started', why: expect.stringContaining('ENOENT') })
  const long = await exec('/bin/echo', { argv: ['x'.repeat(4 << 20)] })
  expect(long).toMatchObject({ kind: 'not-started', why: expect.stringContaining('E2BIG') })
})

test('at the timeout its whole process group is killed at once', async () => {
  const folder = temporaryFolder()
  const run = await sh(`sleep 60 & echo $! > ${folder}/child; trap '' TERM; wait`, { timeoutMs: 300 })
  expect(run).toEqual({ kind: 'timed-out', afterMs: 300 })
  await eventually(() => isGone(join(folder, 'child')), 'its child is gone')
})

test('with a grace it is asked to end first, and may finish what it writes', async () => {
  const folder = temporaryFolder()
  const finishes = `trap 'sleep 0.2; echo whole > ${folder}/file; exit 0' TERM; sleep 60 & wait`
  expect(await sh(finishes, { timeoutMs: 200, graceMs: LONG })).toEqual({ kind: 'timed-out', afterMs: 200 })
  expect(readFileSync(join(folder, 'file'), 'utf8')).toBe('whole\n')
  const ignores = `trap '' TERM; echo $$ > ${folder}/pid; while :; do sleep 0.05; done`
  expect(await sh(ignores, { timeoutMs: 200, graceMs: 200 })).toEqual({ kind: 'timed-out', afterMs: 200 })
  expect(isGone(join(folder, 'pid'))).toBe(true)
})

test('with a grace it shares the process group of fleet, as for a Ctrl-C, unless it shall have its own', async () => {
  const groupOf = async (options: Partial<ExecOptions>): Promise<'own' | 'shared'> => {
    const over = new AbortController()
    let group: number | undefined
    const take = (bytes: Uint8Array): void => {
      group = processEntry(Number(bytes.toString()))?.group
      over.abort()
    }
    await sh('echo $$; sleep 60', { ...options, take, signal: over.signal })
    return group === processEntry(process.pid)?.group ? 'shared' : 'own'
  }
  expect([
    await groupOf({ graceMs: 1000 }),
    await groupOf({ graceMs: 1000, ownGroup: true }),
    await groupOf({}),
  ]).toEqual(['shared', 'own', 'own'])
})

test('a grandchild that holds the pipes open does not hold up the answer', async () => {
  const before = performance.now()
  expect(await sh('sleep 30 & echo said')).toMatchObject({ kind: 'ended', code: 0, out: Buffer.from('said\n') })
  expect(performance.now() - before).toBeLessThan(20_000)
})

test('a program that prints too much is killed', async () => {
  const run = await sh('yes', { maxBytes: 100_000 })
  expect(run).toEqual({ kind: 'too-much-output', maxBytes: 100_000 })
  expect(run.kind === 'ended' ? '' : whyNotEnded(run)).toBe('printed more than 100000 bytes')
})

test('an abort kills it, and before its start keeps it from starting', async () => {
  const folder = temporaryFolder()
  const abort = new AbortController()
  const running = sh(`echo $$ > ${folder}/pid; exec sleep 60`, { signal: abort.signal })
  await eventually(() => existsSync(join(folder, 'pid')), 'it runs')
  abort.abort()
  expect(await running).toEqual({ kind: 'aborted' })
  await eventually(() => isGone(join(folder, 'pid')), 'it is gone')
  expect(await sh(`touch ${folder}/started`, { signal: abort.signal })).toEqual({ kind: 'aborted' })
  expect(existsSync(join(folder, 'started'))).toBe(false)
})

test('an abort asks a program with a grace to end first, and ends what it leaves in its own group', async () => {
  const folder = temporaryFolder()
  const abort = new AbortController()
  const script = `trap 'echo whole > ${folder}/file; exit 0' TERM; sleep 60 & echo $! > ${folder}/child; wait`
  const running = sh(script, { signal: abort.signal, graceMs: LONG, ownGroup: true })
  await eventually(() => existsSync(join(folder, 'child')), 'it runs')
  abort.abort()
  expect(await running).toEqual({ kind: 'aborted' })
  expect(readFileSync(join(folder, 'file'), 'utf8')).toBe('whole\n')
  await eventually(() => isGone(join(folder, 'child')), 'its child is gone')
})

test('output can be taken in pieces, and an error of the taker ends the program', async () => {
  let text = ''
  const take = (bytes: Uint8Array): void => {
    text += Buffer.from(bytes).toString('utf8')
  }
  expect(await sh('echo one; echo two', { take })).toMatchObject({ kind: 'ended', out: Buffer.alloc(0) })
  expect(text).toBe('one\ntwo\n')
  const full = new Error('the disk is full')
  const refuse = (): void => {
    throw full
  }
  await expect(sh('yes', { take: refuse })).rejects.toBe(full)
})
