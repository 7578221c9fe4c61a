import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, onTestFinished, test } from 'vitest'
import { localAgents } from '../../../src/platform/process/agents.ts'

test('a process with an empty marker belongs to no run', async () => {
  const child = spawn('sleep', ['600'], { env: { PATH: process.env['PATH'], FLEET_RUN_ID: '' }, stdio: 'ignore' })
  onTestFinished(() => void child.kill('SIGKILL'))
  await once(child, 'spawn')
  const found = [...localAgents().sweep()].filter(([, each]) => each.some(({ pid }) => pid === child.pid))
  expect(found).toEqual([])
})
