import { expect, test } from 'vitest'
import { claims, init, result, says, testFleet, writes } from '../../support/supervisor.ts'

/** One message from another model than the requested one. */
const fallsBack = {
  emit: {
    type: 'assistant',
    message: {
      id: 'msg_other',
      model: 'claude-haiku-5-5',
      content: [{ type: 'text', text: 'I stand in' }],
      usage: { input_tokens: 5, output_tokens: 1 },
    },
  },
}

test('the receipt lists every model that answered, with a warning for each that was not requested', async () => {
  const fleet = testFleet()
  const model = 'claude-opus-5-5'
  const work = [says('I begin'), fallsBack, writes('a.txt'), claims(), result()]
  const id = fleet.create('Falls back in the middle', [init, ...work], '--model', model)
  const asked = fleet.create('Does not', [init, ...work.filter((step) => step !== fallsBack)], '--model', model)
  await fleet.start()
  for (const each of [id, asked]) await fleet.settled(each, 'closed')
  expect(fleet.receipt(id)).toMatchObject({
    served_model: model,
    served_models: [model, 'claude-haiku-5-5'],
    warnings: [`asked for ${model}, answered by claude-haiku-5-5`],
  })
  expect(fleet.receipt(asked)).toMatchObject({ served_model: model, served_models: [model], warnings: [] })
})
