import { expect, test } from 'vitest'
import { processEntry } from '../../../src/platform/process/process-table.ts'
import { eventually, place, startScript, type TestRun } from '../../support/agents.ts'

/** Pids are reused: the identity of a process must be checked before it is signalled. */

test('another process that got the same pid is left alone', async () => {
  const stranger = await startScript('echo up; sleep 60')
  await isUp(stranger)
  const run = place()
  const proc = { ...stranger.proc, startTime: '1' }
  const reused = { ...run, proc }
  expect(run.agents.groupAlive(reused)).toBe(false)
  run.agents.signal(reused, 'SIGKILL')
  run.agents.kill({ pid: proc.pid, startTime: '1', command: '' })
  expect(processEntry(proc.pid)).toMatchObject({ alive: true, startTime: stranger.proc.startTime })
  expect(run.agents.look(reused)).toEqual({ kind: 'gone', exit: { kind: 'unknown' } })
})

test('after a reboot nothing is signalled, and the run is lost with its machine', async () => {
  const stranger = await startScript('echo up; sleep 60')
  await isUp(stranger)
  const before = { ...stranger, proc: { ...stranger.proc, bootId: 'another' } }
  expect(stranger.agents.groupAlive(before)).toBe(false)
  stranger.agents.signal(before, 'SIGKILL')
  expect(stranger.agents.look(before)).toEqual({ kind: 'machine-lost' })
  expect(processEntry(before.proc.pid)?.alive).toBe(true)
})

test('zombies that are never reaped do not keep a run alive', async () => {
  // The shell becomes a sleep, which never reaps its child; the shell itself might have.
  const child = "setsid sh -c 'until grep -q sleep /proc/$PPID/comm; do :; done'"
  const parent = await startScript(`${child} & echo $!; exec sleep 60`)
  await eventually(() => parent.text('stdout.jsonl').endsWith('\n'), 'the child was started')
  const pid = Number(parent.text('stdout.jsonl'))
  await eventually(() => processEntry(pid)?.alive === false, 'the child is a zombie')
  const run = { ...place(), proc: { ...parent.proc, pid, startTime: processEntry(pid)?.startTime ?? '' } }
  expect(run.agents.groupAlive(run)).toBe(false)
  expect(run.agents.look(run)).toEqual({ kind: 'gone', exit: { kind: 'unknown' } })
})

async function isUp(run: TestRun): Promise<void> {
  await eventually(() => run.text('stdout.jsonl') !== '', 'the agent works')
}
