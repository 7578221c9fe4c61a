import { expect, test } from 'vitest'
import { healthy, init, result, says, testFleet } from '../../support/supervisor.ts'

/** A SIGINT from outside, as claude reports it. */
const interrupted = [
  init,
  says('At work'),
  result('', {
    is_error: true,
    subtype: 'error_during_execution',
    terminal_reason: 'aborted_streaming',
    result: undefined,
    errors: ['[ede_diagnostic] result_type=user last_content_type=n/a stop_reason=null'],
  }),
]
const TEXT = 'something outside fleet interrupted it (SIGINT, as Ctrl-C sends); its session is kept'

test('an interrupt from outside costs no attempt, and the session goes on', async () => {
  const fleet = testFleet()
  const id = fleet.create('Interrupted', [interrupted, healthy('x.txt')])
  await fleet.start()
  await fleet.settled(id, 'closed')
  expect(fleet.runs(id).map(({ outcome }) => outcome)).toMatchObject([
    { code: 'interrupted', text: TEXT },
    { code: 'done' },
  ])
  expect(fleet.starts(id)[1]?.argv).toContain(`--resume=${fleet.runs(id)[0]?.id}`)
  expect(fleet.ledger.stateOf(id)).toMatchObject({ failures: 0 })
})

test('the third interrupt in a row blocks the task', async () => {
  const fleet = testFleet()
  const id = fleet.create('Interrupted again and again', interrupted)
  await fleet.start()
  expect(await fleet.settled(id, 'blocked')).toMatchObject({ notes: `3 times in a row: ${TEXT}` })
  expect(fleet.starts(id)).toHaveLength(3)
  expect(fleet.ledger.stateOf(id)).toMatchObject({ failures: 0, session: fleet.runs(id)[0]?.id })
})

test("claude's own diagnostics are never the whole reason", async () => {
  const fleet = testFleet({ config: ['max_attempts=1'] })
  const diagnostic = '[ede_diagnostic] result_type=user last_content_type=n/a stop_reason=null'
  const failed = { is_error: true, subtype: 'error_during_execution', terminal_reason: 'x', result: undefined }
  const id = fleet.create('Fails', [init, result('', { ...failed, errors: [diagnostic] })])
  await fleet.start()
  await fleet.settled(id, 'blocked')
  expect(fleet.runs(id)[0]?.outcome).toEqual({
    code: 'error',
    text: `it stopped in the middle of its work and gave no reason (${diagnostic})`,
  })
})
