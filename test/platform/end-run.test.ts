import { spawnSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import { endRun } from '../../src/platform/end-run.ts'
import { processEntry } from '../../src/platform/process-table.ts'
import { eventually, hasNamespace, place, startScript, type TestRun } from '../support/agents.ts'

/** What is left by the machine's own account, not by ours. */
function living(run: string): string {
  return spawnSync('sh', ['-c', `grep -lsz "^FLEET_RUN_ID=${run}$" /proc/[0-9]*/environ`], { encoding: 'utf8' }).stdout
}

const isUp = (run: TestRun) => eventually(() => run.text('stdout.jsonl').includes('up\n'), 'the agent works')

describe.each([
  { where: 'without a namespace', namespace: false },
  { where: 'in a pid namespace', namespace: true },
])('$where', ({ namespace }) => {
  const testHere = test.skipIf(namespace && !hasNamespace)

  testHere('an agent that obeys is ended gently, and its exit is recorded', async () => {
    const run = await startScript('trap "exit 4" TERM; echo up; while :; do sleep 0.02; done', { namespace })
    await isUp(run)
    const ended = await endRun(run.agents, run, { graceMs: 20_000 })
    expect(ended).toEqual({ took: [], forced: false, left: [], ms: expect.any(Number) })
    expect(ended.ms).toBeLessThan(10_000)
    expect(run.agents.look(run)).toEqual({ kind: 'gone', exit: { kind: 'code', code: 4 } })
    expect(living(run.run)).toBe('')
  })

  testHere(
    'an agent that ignores SIGTERM and has a child in a session of its own is gone soon after the grace',
    async () => {
      const run = await startScript(
        'trap "" TERM; setsid sh -c "echo up; exec sleep 60" & while :; do sleep 0.02; done',
        {
          namespace,
        },
      )
      await isUp(run)
      const graceMs = 300
      const ended = await endRun(run.agents, run, { graceMs })
      expect(ended).toMatchObject({ forced: true, left: [] })
      expect(ended.ms).toBeGreaterThanOrEqual(graceMs)
      expect(ended.ms).toBeLessThan(graceMs + 5000)
      // The namespace takes the child with it; without one it is found by its marker, and reported.
      if (!namespace) expect(ended.took.map(({ command }) => command)).toContain('sleep 60')
      expect(living(run.run)).toBe('')
      expect(run.agents.look(run)).toEqual({ kind: 'gone', exit: { kind: 'unknown' } })
    },
  )

  testHere('a run that nobody wrote down the process of is ended gently too', async () => {
    const run = await startScript('trap "exit 4" TERM; echo up; while :; do sleep 0.02; done', { namespace })
    await isUp(run)
    expect(await endRun(run.agents, { ...run, proc: null }, { graceMs: 20_000 })).toMatchObject({ forced: false })
    expect(run.agents.exitOf(run)).toBe(4)
  })
})

test('a child that forked twice and left its session is found after its agent has gone', async () => {
  const run = await startScript('(setsid sh -c "sleep 61 & exec sleep 62" &) ; echo up')
  await run.ended
  await eventually(() => (run.agents.sweep().get(run.run) ?? []).length === 2, 'both are there')
  const ended = await endRun(run.agents, run, { graceMs: 1000 })
  expect(ended.took.map(({ command }) => command).sort()).toEqual(['sleep 61', 'sleep 62'])
  expect(ended).toMatchObject({ forced: true, left: [] })
  expect(run.agents.look(run)).toEqual({ kind: 'gone', exit: { kind: 'code', code: 0 } })
})

test('a parent that starts its child again and again does not win', async () => {
  const respawn = 'trap "" TERM; echo up; while :; do sh -c "sleep 0.01"; done'
  const run = await startScript(`setsid sh -c '${respawn}' & setsid sh -c '${respawn}' & sleep 60`)
  await eventually(() => run.text('stdout.jsonl') === 'up\nup\n', 'both have begun')
  expect(await endRun(run.agents, run, { graceMs: 100 })).toMatchObject({ forced: true, left: [] })
  expect(living(run.run)).toBe('')
})

test('a process that flees from one pid to the next is caught', async () => {
  const flee = 'echo up; sleep 0.01\nsetsid sh ./flee &\n'
  const run = await startScript(`printf '${flee}' >flee; setsid sh ./flee & sleep 60`)
  await isUp(run)
  expect(await endRun(run.agents, run, { graceMs: 0 })).toMatchObject({ left: [] })
  expect(living(run.run)).toBe('')
})

test('stopped processes are ended too', async () => {
  const run = await startScript('echo up; kill -STOP $$; sleep 60')
  await isUp(run)
  expect(await endRun(run.agents, run, { graceMs: 200 })).toMatchObject({ forced: true, left: [] })
})

test('what never started, and what has long ended, is no work', async () => {
  const never = place()
  expect(await endRun(never.agents, never, { graceMs: 20_000 })).toMatchObject({ took: [], forced: false, left: [] })
  const over = await startScript('exit 0')
  await over.ended
  expect(await endRun(over.agents, over, { graceMs: 20_000 })).toMatchObject({ took: [], forced: false, left: [] })
})

test('another process that got the pid is left alone', async () => {
  const stranger = await startScript('echo up; sleep 60')
  await isUp(stranger)
  const run = place()
  const proc = { ...stranger.proc, startTime: '1' }
  const reused = { ...run, proc }
  expect(run.agents.groupAlive(reused)).toBe(false)
  run.agents.signal(reused, 'SIGKILL')
  run.agents.kill({ pid: proc.pid, startTime: '1', command: '' })
  expect(await endRun(run.agents, reused, { graceMs: 20_000 })).toMatchObject({ took: [], forced: false })
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

test('zombies that nobody reaps are nobody to wait for', async () => {
  // The shell becomes a sleep, which never asks after its child.
  const parent = await startScript('setsid true & echo $!; exec sleep 60')
  await eventually(() => parent.text('stdout.jsonl').endsWith('\n'), 'the child was started')
  const pid = Number(parent.text('stdout.jsonl'))
  await eventually(() => processEntry(pid)?.alive === false, 'the child is a zombie')
  const run = { ...place(), proc: { ...parent.proc, pid, startTime: processEntry(pid)?.startTime ?? '' } }
  expect(run.agents.groupAlive(run)).toBe(false)
  expect(run.agents.look(run)).toEqual({ kind: 'gone', exit: { kind: 'unknown' } })
  expect(await endRun(run.agents, run, { graceMs: 20_000 })).toMatchObject({ took: [], forced: false, left: [] })
})
