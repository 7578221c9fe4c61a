import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { processTable } from '../../../src/platform/process/process-table.ts'
import { eventually, startProgram, startScript, type TestRun } from '../../support/agents.ts'

/** Only /proc tells for what a process waits, and its connections. */
const telling = processTable().kind === 'proc' && ['x64', 'arm64'].includes(process.arch)

test('the activity of an agent names its processes, and those that belong to a command', async () => {
  const run = await startScript('setsid sh -c "sleep 600; true" & sleep 600; true')
  await eventually(() => names(run).filter(([name]) => name === 'sleep').length === 2, 'both sleeps are there')
  expect(run.agents.activity(run).tools).toBe(1)
  const [agent, ...below] = names(run)
  expect(agent).toEqual(['sh', false])
  // Without sessions `ps` may count the second sleep to either.
  expect(below.sort()).toEqual([
    ['sh', true],
    ['sleep', false],
    ['sleep', true],
  ])
})

test('an agent that computes is seen to use the processor', async () => {
  const run = await startScript('while :; do :; done')
  const before = run.agents.activity(run).cpuMs
  await eventually(() => run.agents.activity(run).cpuMs - before > 1000, 'it used the processor')
})

test.runIf(telling)('a command that reads a pipe that nothing feeds waits for input; a pipeline does not', async () => {
  const waiting = await startScript('mkfifo in; exec 3<>in; setsid sh -c "cat <&3; true"; true')
  const piped = await startScript('setsid sh -c "sleep 600 | cat"; true')
  await eventually(() => waiting.agents.activity(waiting).waits !== undefined, 'cat waits for its stdin')
  expect(waiting.agents.activity(waiting).waits).toEqual({ pid: expect.any(Number), name: 'cat', on: 'stdin' })
  await eventually(() => names(piped).some(([name]) => name === 'cat'), 'the pipeline is there')
  expect(piped.agents.activity(piped).waits).toBe(undefined)
})

test.runIf(telling)(
  'a command that reads a pipe to which a process above it may write does not wait for input',
  async () => {
    const run = await startScript('mkfifo in; setsid sh -c "cat <in & exec 3>in; wait"; true')
    await eventually(() => names(run).some(([name]) => name === 'cat'), 'cat is there')
    await eventually(() => isAsleep(run, 'cat'), 'it reads')
    expect(run.agents.activity(run).waits).toBe(undefined)
  },
)

test.runIf(telling)("an agent's connections are counted while they are open", async () => {
  const server = await listening()
  const { port } = server.address() as { port: number }
  const script = `require('net').connect(${port}, '127.0.0.1'); setInterval(() => {}, 60000)`
  const run = await startProgram(process.execPath, ['-e', script])
  const idle = await startScript('sleep 600; true')
  await eventually(() => run.agents.activity(run).connections === 1, 'its connection is seen')
  expect(idle.agents.activity(idle).connections).toBe(0)
})

function isAsleep(run: TestRun, program: string): boolean {
  const pid = run.agents.activity(run).processes.find(({ name }) => name === program)?.pid
  return pid !== undefined && /^State:\s+S/m.test(readFileSync(`/proc/${pid}/status`, 'latin1'))
}

function names(run: TestRun): [string, boolean][] {
  return run.agents.activity(run).processes.map(({ name, isTool }) => [name, isTool])
}

async function listening(): Promise<Server> {
  const server = createServer(() => {})
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  onTestFinished(() => {
    server.close()
  })
  return server
}
