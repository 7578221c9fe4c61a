import { spawn } from 'node:child_process'
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { psTable } from '../../../src/platform/process/process-table-ps.ts'
import { temporaryFolder } from '../../support/cli.ts'
import { throughPs } from '../../support/ps-exceptions.ts'

/** A folder with a program `ps` that first writes a line to `calls`. */
function fakePs(script: string): { env: NodeJS.ProcessEnv; calls(): number; set(script: string): void } {
  const folder = join(temporaryFolder(), 'bin')
  mkdirSync(folder)
  const set = (text: string): void => {
    writeFileSync(join(folder, 'ps'), `#!/bin/sh\necho >>'${folder}/calls'\n${text}\n`)
    chmodSync(join(folder, 'ps'), 0o755)
  }
  set(script)
  writeFileSync(join(folder, 'calls'), '')
  const env = { PATH: `${folder}:${process.env['PATH']}` }
  return { env, set, calls: () => readFileSync(join(folder, 'calls'), 'utf8').length }
}

const REAL = 'PATH=/usr/bin:/bin exec ps "$@"'

/** The leg through `ps` skips nothing. */
const hasPs = throughPs || canRead()
if (!hasPs) console.warn('\n*** no ps here that shows starts and environments: the tests that run it are SKIPPED ***\n')

function canRead(): boolean {
  try {
    return psTable().entry(process.pid) !== undefined
  } catch {
    return false
  }
}

test.runIf(hasPs)('processes, markers and commands are read through ps', async () => {
  const child = spawn('/bin/sleep', ['600'], { env: { FLEET_RUN_ID: 'r-1', TOKEN: 'secret' }, detached: true })
  onTestFinished(() => void child.kill('SIGKILL'))
  const pid = child.pid as number
  const table = psTable()
  expect(table.entry(pid)).toMatchObject({ pid, alive: true, parent: process.pid, group: pid, session: pid })
  expect(Math.abs(Number(table.entry(pid)?.startTime.slice(1)) - Date.now() / 1000)).toBeLessThan(30)
  expect([table.marker(pid), table.command(pid), table.mentions(pid, '600')]).toEqual(['r-1', '/bin/sleep 600', true])
  expect(table.ids()).toContain(process.pid)
  expect(table.entry(2 ** 22 + 1)).toBeUndefined()
})

test.runIf(hasPs)('one snapshot answers for all processes, and a new process is asked for alone', () => {
  const { env, calls } = fakePs(REAL)
  const table = psTable(env)
  table.renew(0)
  for (const pid of table.ids()) table.entry(pid)
  expect(calls()).toBe(1)
  const child = spawn('/bin/sleep', ['600'])
  onTestFinished(() => void child.kill('SIGKILL'))
  for (let n = 0; n < 5; n++) expect(table.entry(child.pid as number)?.parent).toBe(process.pid)
  expect(calls()).toBe(2)
})

test.each([
  ['fails', 'echo "ps: no memory" >&2; exit 1', 'ps failed with exit 1: ps: no memory'],
  ['prints nothing', 'exit 0', 'ps printed nothing'],
  ['is killed', 'kill -9 $$', 'ps was ended by SIGKILL'],
  ['prints something else', 'echo "  PID TTY          TIME CMD"', 'ps printed a line that is no process'],
  ['leaves out this process', 'echo "1 0 1 1 Ss Wed Nov 18 01:22:22 2026 00:01 init"', 'ps does not show this process'],
])('a ps that %s is an error and no empty table, and is not asked again at once', (_what, script, message) => {
  const { env, calls } = fakePs(script)
  const table = psTable(env)
  for (let n = 0; n < 5; n++) expect(() => table.ids()).toThrow(message)
  expect(() => table.entry(process.pid)).toThrow(message)
  expect(calls()).toBe(1)
})

test.runIf(hasPs)('after trouble the table is read again, and a process that is gone is known without ps', async () => {
  const { env, set } = fakePs('exit 0')
  const table = psTable(env)
  expect(() => table.ids()).toThrow('the process table cannot be read: ps printed nothing')
  expect(table.entry(2 ** 22 + 1)).toBeUndefined()
  set(REAL)
  await expect.poll(() => attempt(() => table.ids().includes(process.pid)), { timeout: 10_000 }).toBe(true)
})

test.runIf(hasPs)('a slow ps is run rarely: its last answer is good for what had begun by then', () => {
  const { env, calls } = fakePs(`sleep 1.2; ${REAL}`)
  const table = psTable(env)
  for (let n = 0; n < 5; n++) table.renew(0)
  expect(table.ids()).toContain(process.pid)
  table.outdate()
  expect(() => table.ids()).toThrow('ps takes more than 1 s, and is not asked all the time')
  expect(calls()).toBe(1)
})

test('a ps that hangs is given up', () => {
  const { env } = fakePs('exec sleep 600')
  expect(() => psTable(env).ids()).toThrow('ps took longer than 5 s')
})

test("BusyBox's ps and a missing ps are told with the next step", () => {
  const sample = join(import.meta.dirname, '../../fixtures/ps')
  for (const name of ['busybox-option', 'busybox-column']) {
    const { env } = fakePs(`cat '${sample}/${name}.txt' >&2; exit 1`)
    expect(() => psTable(env).ids()).toThrow(/bin\/ps is BusyBox's, which does not show the starts, sessions/)
  }
  const empty = temporaryFolder()
  expect(() => psTable({ PATH: empty }).ids()).toThrow(
    'the processes of agents cannot be told apart on this machine: FLEET_PROCESS_TABLE=ps asks for ps, which is not on PATH',
  )
})

function attempt(work: () => boolean): boolean {
  try {
    return work()
  } catch {
    return false
  }
}
