import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { localAgents } from '../../../src/platform/process/agents.ts'
import { processEntry, processTable } from '../../../src/platform/process/process-table.ts'
import { markerIn, parseStat } from '../../../src/platform/process/process-table-proc.ts'
import { eventually } from '../../support/agents.ts'

test('the start time of a process is found whatever name it gives itself', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 15 }), fc.nat(), fc.nat(), (name, group, start) => {
      const fields = ['S', 1, group, 7, ...Array(7).fill(9), 1, 2, 3, 4, 0, 0, 1, 0, start, 99, 98]
      const entry = parseStat(`12 (${name}) ${fields.join(' ')}\n`)
      expect(entry).toEqual({
        pid: 12,
        alive: true,
        parent: 1,
        group,
        session: 7,
        startTime: String(start),
        cpuTicks: 10,
      })
    }),
  )
  fc.assert(
    fc.property(fc.string(), (text) => {
      parseStat(text)
    }),
  )
})

test('a zombie is not alive, unless other threads of it are', () => {
  const stat = (state: string, threads: number) => `1 (a) ${state} 0 1 1 ${'0 '.repeat(13)}${threads} 0 5 0`
  expect([stat('Z', 1), stat('X', 0), stat('Z', 2), stat('D', 1)].map((text) => parseStat(text)?.alive)).toEqual([
    false,
    false,
    true,
    true,
  ])
})

test('a marker is a variable of its own, not the end of another or a value', () => {
  const environment = (...variables: string[]) => Buffer.from(variables.map((each) => `${each}\0`).join(''))
  expect(markerIn(environment('A=1', 'FLEET_RUN_ID=r-1', 'B=2'))).toBe('r-1')
  expect(markerIn(environment('FLEET_RUN_ID=r-1'))).toBe('r-1')
  expect(markerIn(environment('MY_FLEET_RUN_ID=r-1', 'B=FLEET_RUN_ID=r-2'))).toBeUndefined()
  expect(markerIn(environment('MY_FLEET_RUN_ID=r-1', 'FLEET_RUN_ID=r-2'))).toBe('r-2')
  expect(markerIn(Buffer.alloc(0))).toBeUndefined()
})

test('this process is read correctly', () => {
  expect(processEntry(process.pid)).toMatchObject({ pid: process.pid, alive: true })
  const [program = ''] = readFileSync('/proc/self/cmdline', 'utf8').split('\0')
  expect(processTable().mentions(process.pid, program)).toBe(true)
  expect(processEntry(2 ** 22 + 1)).toBeUndefined()
})

test('three hundred processes are swept in little time, all found', async () => {
  const env = { PATH: process.env['PATH'], FLEET_RUN_ID: `sweep-${process.pid}` }
  const many = spawn('sh', ['-c', 'i=0; while [ $i -lt 300 ]; do sleep 600 & i=$((i+1)); done; echo up; wait'], {
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  onTestFinished(() => {
    if (many.pid !== undefined) process.kill(-many.pid, 'SIGKILL')
  })
  await once(many.stdout, 'data')
  const agents = localAgents()
  await eventually(() => agents.sweep().get(env.FLEET_RUN_ID)?.length === 301, 'all are there')
  const times = Array.from({ length: 9 }, () => {
    const started = performance.now()
    agents.sweep()
    return performance.now() - started
  }).sort((a, b) => a - b)
  const processes = readdirSync('/proc').filter((name) => /^\d/.test(name)).length
  // Generous, because the machine may be busy. An idle one takes some ten milliseconds.
  expect(times[4], `${processes} processes`).toBeLessThan(3000)
})

test('a process that had no marker at the last look is found at once when it gets one with another program', async () => {
  const run = `late-${process.pid}`
  // From stdin: ps shows arguments and variables as one text, so that a marker among the arguments is one there.
  const late = spawn('sh', ['-c', 'read run; exec env "FLEET_RUN_ID=$run" sleep 600'], {
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  onTestFinished(() => void late.kill('SIGKILL'))
  const agents = localAgents()
  await eventually(() => processTable().mentions(late.pid as number, '-c'), 'it runs')
  expect([agents.sweep(0).get(run), agents.sweep(0).get(run)]).toEqual([undefined, undefined])
  late.stdin.end(`${run}\n`)
  await eventually(() => processTable().mentions(late.pid as number, 'sleep'), 'it is another program')
  expect(agents.sweep(0).get(run)).toMatchObject([{ pid: late.pid }])
})

test('a process without variables has no marker, and kernel threads have none', async () => {
  const bare = spawn('/bin/sleep', ['60'], { env: {} })
  onTestFinished(() => void bare.kill('SIGKILL'))
  await eventually(() => processTable().mentions(bare.pid as number, '/bin/sleep'), 'it runs')
  expect([bare.pid as number, 1, 2].map((pid) => processTable().marker(pid))).toEqual([undefined, undefined, undefined])
})
