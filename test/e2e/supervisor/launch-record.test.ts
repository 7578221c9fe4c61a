import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { fingerprint } from '../../../src/domain/text/fingerprint.ts'
import { localAgents } from '../../../src/platform/process/agents.ts'
import { claims, type Fleet, init, result, testFleet, writes } from '../../support/supervisor.ts'

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

/** Copies the launch record as the agent finds it, and its prompt from stdin. */
const looks = [
  { run: ['cp', '$FLEET_TASK_DIR/attempts/1/launch.json', '$FLEET_ARTIFACT_DIR/launch.json'] },
  { stdin: '$FLEET_ARTIFACT_DIR/told' },
]

const found = (fleet: Fleet, id: string) => JSON.parse(fleet.text(id, 'artifacts', 'launch.json'))

test('the launch record is complete before the agent starts, and matches the launch', async () => {
  const fleet = testFleet()
  const cwd = fleet.project('checkout', { git: true })
  const git = (...argv: readonly string[]): string =>
    execFileSync('git', ['-C', cwd, ...argv], { encoding: 'utf8' }).trim()
  const [head, tree] = [git('rev-parse', 'HEAD'), git('rev-parse', 'HEAD^{tree}')]
  const id = fleet.create('Looks first', [...looks, init, writes('made.txt'), claims(), result()], '--cwd', cwd)
  await fleet.start()
  await fleet.settled(id, 'closed')
  const [run] = fleet.runs(id)
  const { argv } = await fleet.started(id)
  const told = fleet.text(id, 'artifacts', 'told')
  expect(told).toContain('# Task')
  expect(found(fleet, id)).toEqual({
    v: 1,
    run: run?.id,
    task: id,
    attempt: 1,
    at: new Date(run?.startedAt ?? 0).toISOString(),
    coder: 'claude',
    claim: 'explicit',
    evidence: 'work',
    // claude reports its version in its stream.
    coder_version: null,
    model: 'sonnet',
    program: join(fleet.stub.folder, 'claude'),
    args_sha256: sha256(JSON.stringify(argv)),
    prompt_sha256: sha256(told),
    prompt_bytes: Buffer.byteLength(told),
    prompt_sizes: expect.objectContaining({ title: expect.any(Number), description: expect.any(Number) }),
    cwd,
    project: cwd,
    worktree: null,
    primary: null,
    port_base: null,
    resumes: null,
    permissions: 'full',
    sandbox: null,
    namespace: run?.namespace,
    boot: localAgents().bootId(),
    base: {
      kind: 'git',
      at: expect.any(Number),
      cwd,
      root: cwd,
      head,
      heads: [head],
      trees: [tree],
      dirty: {},
      dirtyWhole: true,
      ignored: {},
    },
    told: {
      title: 'Looks first',
      texts: {
        description: fingerprint((await fleet.task(id)).description),
        design: fingerprint(''),
        acceptance_criteria: fingerprint(''),
      },
      notes: { length: 0, is: fingerprint('') },
      comments: [],
      dependencies: [],
    },
    seal: expect.stringMatching(/^[0-9a-f]{64}$/),
  })
  // The record has not changed since.
  expect(fleet.text(id, 'attempts', '1', 'launch.json')).toBe(fleet.text(id, 'artifacts', 'launch.json'))
  expect(fleet.ledger.seen(run?.id ?? '').launch).toBe(sha256(fleet.text(id, 'artifacts', 'launch.json')))
})

test('the launch record has the version of a coder that fleet asked for its version', async () => {
  const fleet = testFleet({ coder: 'agy', config: ['coder=agy', 'close_at=claimed'] })
  const id = fleet.create('Looks first', [looks[0] ?? {}, { fleet: ['done', 'looked'] }, { exit: 0 }])
  await fleet.start()
  await fleet.ended(id)
  expect(found(fleet, id)).toMatchObject({ coder: 'agy', coder_version: '1.2.17' })
})
