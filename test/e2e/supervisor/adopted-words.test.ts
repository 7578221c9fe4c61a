import { existsSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { hang, testFleet, until } from '../../support/supervisor.ts'

const HOUR = 3_600_000

function recorded(coder: string, name: string): readonly string[] {
  const file = resolve(import.meta.dirname, '../../fixtures/coders', coder, `${name}.jsonl`)
  return readFileSync(file, 'utf8').split('\n').slice(0, -1)
}

test('a reset time that codex prints in the evening means that evening, even if it is read the next morning', async () => {
  const [began = '', ...told] = recorded('codex', 'err-limit')
  const { thread_id: thread } = JSON.parse(began)
  const printedAt = Date.now() - 15 * HOUR
  // Codex prints local time.
  const hour = new Date(printedAt + 2 * HOUR).toLocaleTimeString('en-US', { hour: 'numeric', minute: '2-digit' })
  const lines = [began, ...told.map((line) => line.replaceAll('7:26 PM', hour.replace('\u202f', ' ')))]
  const fleet = testFleet({ coder: 'codex' })
  const codexHome = join(fleet.home.project, 'codex')
  const began7 = new Date(Number.parseInt(thread.replace('-', '').slice(0, 12), 16)).toISOString().slice(0, 10)
  const sessions = join(codexHome, 'sessions', ...began7.split('-'))
  mkdirSync(sessions, { recursive: true })
  const rollout = join(sessions, `rollout-x-${thread}.jsonl`)
  expect(fleet.fleet('config', 'set', `coders.codex.env={CODEX_HOME="${codexHome}"}`)).toMatchObject({ code: 0 })
  const go = join(fleet.home.project, 'go')
  const id = fleet.create(
    'Limited',
    [{ waitFor: go }, ...lines.map((emit) => ({ emit })), { exit: 1 }],
    '--coder',
    'codex',
  )
  await fleet.start()
  await fleet.started(id)
  await fleet.end('SIGKILL')
  fleet.touch('go')
  await until(
    async () => fleet.exists(id, 'attempts', '1', 'exit.json'),
    () => 'it has ended while no supervisor ran',
  )
  const context = { timestamp: new Date().toISOString(), type: 'turn_context', payload: { model: 'gpt-5.5' } }
  writeFileSync(rollout, `${JSON.stringify(context)}\n`)
  const stdout = join(fleet.home.path, 'tasks', id, 'attempts', '1', 'stdout.jsonl')
  utimesSync(stdout, printedAt / 1000, printedAt / 1000)
  await fleet.start()
  const { outcome, figures } = await fleet.ended(id)
  expect([outcome?.code, figures.servedModel]).toEqual(['usage-limit', 'gpt-5.5'])
  // The reset has passed, so only the shortest pause remains.
  const { until: opens } = fleet.ledger.lanes().find(({ name }) => name === 'codex') ?? {}
  expect(opens).toBeLessThan(Date.now() + HOUR)
})

test('an error on stderr before the last output does not explain a stall, even for an adopting supervisor', async () => {
  const fleet = testFleet({ coder: 'gemini', config: ['timeouts.idle=10s', 'max_attempts=1'] })
  const [init = ''] = recorded('gemini', 'ok')
  const stderr =
    'Attempt 4 failed with status 503. Retrying with backoff... {"error":{"code":503,"message":"Overloaded"}}'
  const over = fleet.create(
    'Got over it',
    // Far enough apart to count as before the next output.
    [{ emit: init }, { stderr }, { sleep: 6500 }, { emit: init }, { touch: 'said' }, hang],
    '--coder',
    'gemini',
    '--cwd',
    fleet.project('over'),
  )
  const still = fleet.create(
    'Did not',
    [{ emit: init }, { sleep: 1500 }, { stderr }, { touch: 'said' }, hang],
    '--coder',
    'gemini',
    '--cwd',
    fleet.project('still'),
  )
  await fleet.start()
  for (const name of ['over', 'still']) {
    await until(
      async () => existsSync(join(fleet.home.project, name, 'said')),
      () => `${name} has said all`,
    )
  }
  await fleet.start('SIGKILL')
  const outcomes = [await fleet.ended(over), await fleet.ended(still)].map(({ outcome }) => outcome?.code)
  expect(outcomes).toEqual(['stalled', 'overload'])
})
