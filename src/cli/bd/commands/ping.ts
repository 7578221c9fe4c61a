import { AppError } from '../../../errors.ts'
import { type BdCall, type BdCommand, BdFailure } from '../command.ts'

export const ping: BdCommand = {
  name: 'ping',
  summary: 'Check database connectivity',
  usage: '[flags]',
  about: 'Open the queue, ask it one question, and say how long that took. Exit 1 where it cannot be reached.',
  flags: [],
  reads: true,
  async run(call) {
    const begun = performance.now()
    const since = (start: number) => Math.round(performance.now() - start)
    try {
      call.home.require()
      const resolve_ms = since(begun)
      const opened = performance.now()
      const { store } = call
      const store_ms = since(opened)
      const asked = performance.now()
      await askOnce(store)
      const [query_ms, total_ms] = [since(asked), since(begun)]
      if (call.json) call.answer({ status: 'ok', resolve_ms, store_ms, query_ms, total_ms })
      else call.print(`✓ bd ping: ok (${total_ms}ms)`)
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      fail(call, error, since(begun))
    }
  },
}

async function askOnce(store: BdCall['store']): Promise<void> {
  for await (const _ of store.find({ limit: 1 })) return
}

function fail(call: BdCall, { message, hint }: AppError, total_ms: number): void {
  if (!call.json) {
    throw new BdFailure(`bd ping: ${message} (${total_ms}ms)`, {
      json: 'text',
      ...(hint === undefined ? {} : { hint }),
    })
  }
  call.answer({ status: 'error', error: message, ...(hint === undefined ? {} : { hint }), total_ms })
  call.fail()
}
