import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Proc } from '../../../src/domain/run/run.ts'
import type { StartOrder } from '../../../src/ports/agents.ts'
import { eventually, hasNamespace, place } from '../../support/agents.ts'
import { temporaryFolder } from '../../support/cli.ts'
import { throughPs } from '../../support/ps-exceptions.ts'
import { standIn } from '../../support/stand-ins.ts'

function scriptOrder(script: string, namespace: boolean): StartOrder & ReturnType<typeof place> {
  const cwd = join(temporaryFolder(), 'project')
  mkdirSync(cwd)
  const env = { PATH: process.env['PATH'] ?? '' }
  return { ...place(), program: '/bin/sh', args: ['-c', script], cwd, env, stdin: undefined, namespace }
}

const WAIT = 'echo up; while [ ! -e go ]; do sleep 0.02; done; echo down; exit 5'

describe.each([
  { where: 'without a namespace', namespace: false },
  { where: 'in a pid namespace', namespace: true },
])('$where', ({ namespace }) => {
  test.skipIf(namespace && !hasNamespace)(
    'an agent outlives the SIGKILL of its supervisor, and how it ended is known to the next',
    async () => {
      const { agents, ...order } = scriptOrder(WAIT, namespace)
      const supervisor = await standIn({ agents: [order] })
      await supervisor.kill()
      const run = { run: order.run, folder: order.folder, proc: supervisor.procs[0] ?? null }
      expect(agents.look(run)).toEqual({ kind: 'alive', proc: run.proc, pids: [run.proc?.pid] })
      writeFileSync(join(order.cwd, 'go'), '')
      await eventually(() => agents.look(run).kind === 'gone', 'the agent has ended')
      expect(agents.look(run)).toEqual({ kind: 'gone', exit: { kind: 'code', code: 5 } })
    },
  )
})

test('a supervisor can exit while its agents run', async () => {
  const { agents: _, ...order } = scriptOrder('sleep 60', false)
  const supervisor = await standIn({ agents: [order], leave: true })
  expect(await supervisor.ended).toEqual([0, null])
})

test('without free file descriptors an agent is either refused with a reason or started, and the supervisor continues', async () => {
  const left = [0, 1, 2, 3, 4, 5, 6, 12]
  for (const filesLeft of left) {
    const { agents, ...order } = scriptOrder('exit 0', false)
    const { procs, refused, kill } = await standIn({ agents: [order], filesLeft })
    expect(procs.length + refused.length).toBe(1)
    if (filesLeft === 0) expect(refused).toEqual([expect.stringMatching(/^failed: no agent could be started .*EMFILE/)])
    if (filesLeft === 12) expect(procs).toHaveLength(1)
    const run = { ...order, proc: procs[0] ?? null }
    if (refused.length > 0) expect(agents.look(run)).toEqual({ kind: 'never-started' })
    else await eventually(() => agents.exitOf(run) === 0, 'it ran')
    await kill()
  }
})

test('a supervisor without free file descriptors does not take a living agent for a dead one', async () => {
  const { agents: _, ...order } = scriptOrder('sleep 60', false)
  const { sightings } = await standIn({ agents: [order], lookWithoutFiles: true })
  // A snapshot of ps from a moment ago may still have it.
  expect(sightings).toEqual([expect.stringMatching(throughPs ? /^(alive|failed)$/ : /^EMFILE$/)])
})

describe('a start that must not happen', () => {
  test('does not happen after it was forbidden', async () => {
    const { agents, ...order } = scriptOrder('touch ran', false)
    expect(agents.look({ ...order, proc: null })).toEqual({ kind: 'never-started' })
    expect(agents.forbidStart({ ...order, proc: null })).toBe(true)
    expect(agents.forbidStart({ ...order, proc: null })).toBe(true)
    let proc: Promise<Proc> | undefined
    await new Promise<void>((ended) => {
      proc = agents.start(order, ended)
    })
    expect(agents.look({ ...order, proc: (await proc) ?? null })).toEqual({ kind: 'never-started' })
  })

  test('does not happen if its wrapper was killed just after it made the pid file', async () => {
    const { agents, ...order } = scriptOrder('touch ran', false)
    writeFileSync(join(order.folder, 'exit.json.pid'), '')
    expect(agents.look({ ...order, proc: null })).toEqual({ kind: 'never-started' })
    expect(agents.forbidStart({ ...order, proc: null })).toBe(true)
    const ended = new Promise<void>((done) => void agents.start(order, done))
    await ended
    expect(agents.exitOf({ ...order, proc: null })).toBe(125)
  })

  test('cannot be forbidden any more once the agent runs', async () => {
    const { agents, ...order } = scriptOrder('exit 0', false)
    await new Promise<void>((ended) => agents.start(order, ended))
    expect(agents.forbidStart({ ...order, proc: null })).toBe(false)
    expect(agents.look({ ...order, proc: null })).toEqual({ kind: 'gone', exit: { kind: 'code', code: 0 } })
  })

  test('either happens or is forbidden, whichever comes first', async () => {
    for (let round = 0; round < 40; round++) {
      const { agents, ...order } = scriptOrder('exit 0', false)
      const ended = new Promise<void>((done) => agents.start(order, done))
      const until = performance.now() + (round % 8) / 4
      while (performance.now() < until);
      const forbidden = agents.forbidStart({ ...order, proc: null })
      await ended
      expect(agents.look({ ...order, proc: null })).toEqual(
        forbidden ? { kind: 'never-started' } : { kind: 'gone', exit: { kind: 'code', code: 0 } },
      )
    }
  })
})
