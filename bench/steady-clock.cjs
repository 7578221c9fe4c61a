// Preloaded by benchmarks: the dates of this process come from CLOCK_MONOTONIC, FLEET_BENCH_EPOCH milliseconds away from it
// (bench/clock.mjs). So the times in a supervisor's log can be subtracted, although somebody sets the wall clock meanwhile.
const offset = Number(process.env.FLEET_BENCH_EPOCH) + Number(process.hrtime.bigint()) / 1e6 - performance.now()
if (!Number.isFinite(offset)) throw new Error('FLEET_BENCH_EPOCH is not set')

const now = () => Math.floor(offset + performance.now())

globalThis.Date = class extends Date {
  constructor(...args) {
    super(...(args.length === 0 ? [now()] : args))
  }

  static now() {
    return now()
  }
}
