import { expect, test } from 'vitest'
import { shell } from '../../../src/coders/shell/coder.ts'
import type { Receipt } from '../../../src/domain/run/receipt.ts'
import type { World } from '../../../src/supervisor/world.ts'
import { eventually } from '../../support/home-run.ts'
import { testWorld } from '../../support/world.ts'

/** Holds up the first call that passes it, until the test opens it. */
function gate() {
  let open = (): void => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  const reached = { yet: false }
  const pass = async (): Promise<void> => {
    reached.yet = true
    await opened
  }
  return { pass, reached, open: () => open() }
}

/** Judged by its work, so that the workspace is looked at. */
const worker: World['coders']['find'] = async () => ({
  ...shell,
  traits: { ...shell.traits, evidence: 'work' },
  launch: () => ({ args: ['-c', 'echo all done; echo made >made.txt'], stdin: 'closed', env: {} }),
})

const MOMENTS = {
  'the workspace is looked at': ({ workspace, coders }: World, pass: () => Promise<void>) => ({
    coders: { ...coders, find: worker },
    workspace: {
      ...workspace,
      changes: async (...asked: Parameters<World['workspace']['changes']>) => {
        await pass()
        return await workspace.changes(...asked)
      },
    },
  }),
  'task.json is looked at': ({ taskFiles }: World, pass: () => Promise<void>) => ({
    taskFiles: {
      ...taskFiles,
      editDuringRun: async () => {
        await pass()
        return undefined
      },
    },
  }),
} as const

test('a kill after the outcome was decided changes nothing, and the person is told so without a secret', async () => {
  let full = true
  const { world, script, status, ask, supervisor } = await testWorld(undefined, ({ attempts, environment }) => ({
    environment: { ...environment, redact: (text) => text.replaceAll('hunter2', '***') },
    attempts: {
      ...attempts,
      replace(...asked) {
        if (full) throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' })
        attempts.replace(...asked)
      },
    },
  }))
  const id = await script('echo all done with hunter2')
  const one = supervisor()
  await one.start()
  await eventually(() => one.standing.live[0]?.state.phase === 'ended', 'it is decided')
  const answer = ask('kill', id)
  one.wake()
  await eventually(() => one.standing.live[0]?.ending.requests.length === 1, 'the kill was heard')
  expect(world.ledger.openRunOf(id)?.outcome).toBe(null)
  full = false
  await eventually(() => answer() !== null, 'the person is answered')
  expect([answer(), await status(id)]).toEqual(['it had ended before: all done with ***', 'closed'])
  const receipt = JSON.parse(world.attempts.read(id, 1, 'receipt.json') ?? '') as Receipt
  expect([receipt.outcome.code, world.ledger.runsOf(id)[0]?.outcome?.code]).toEqual(['done', 'done'])
})

test('a look at the work that never returns keeps neither a kill nor a stop of the supervisor waiting', async () => {
  const { pass, reached } = gate()
  let ahead = 0
  const { world, script, ask, supervisor } = await testWorld(undefined, (world) => ({
    ...MOMENTS['the workspace is looked at'](world, pass),
    clock: { ...world.clock, monotonic: () => performance.now() + ahead },
  }))
  const id = await script('echo all done')
  const one = supervisor()
  await one.start()
  await eventually(() => reached.yet, 'it is being judged')
  const answer = ask('kill', id)
  one.wake()
  await eventually(() => one.standing.live[0]?.ending.stopAskedAt !== undefined, 'the kill was heard')
  const early = answer()
  ahead += 12_000
  await eventually(() => answer() !== null, 'the person is answered')
  expect([early, answer()]).toEqual([
    null,
    'ended; fleet still looks at its work, and writes down how it ended after that',
  ])
  one.stop({ by: 'anna' })
  await eventually(() => one.standing.mode === 'stopping', 'it stops')
  const hurry = setInterval(() => (ahead += 1000), 50)
  await one.finished
  clearInterval(hurry)
  // The next supervisor judges it, as killed.
  expect(world.ledger.openRunOf(id)).toMatchObject({ phase: 'stopping', outcome: null })
})

test.each(Object.entries(MOMENTS))(
  'a run that is killed while %s is killed on its receipt and in the ledger',
  async (_, heldUp) => {
    const { pass, reached, open } = gate()
    const { world, script, status, ask, supervisor } = await testWorld(undefined, (world) => heldUp(world, pass))
    const id = await script('echo all done')
    const one = supervisor()
    await one.start()
    await eventually(() => reached.yet, 'it is being judged')
    const answer = ask('kill', id)
    one.wake()
    const stopped = () => one.standing.live.some(({ state }) => state.phase === 'judging' && state.want !== undefined)
    await eventually(stopped, 'the kill was heard')
    const noted = world.ledger.openRunOf(id)?.phase
    open()
    await eventually(() => answer() !== null, 'the person is answered')
    await eventually(async () => (await status(id)) === 'blocked', 'the task is blocked')
    const receipt = JSON.parse(world.attempts.read(id, 1, 'receipt.json') ?? '') as Receipt
    const killed = { code: 'killed', text: 'stopped by anna', by: 'anna' }
    expect([receipt.outcome, world.ledger.runsOf(id)[0]?.outcome]).toEqual([killed, killed])
    // A supervisor that adopts it must know what was wanted.
    expect(noted).toBe('stopping')
  },
)
