/**
 * Preloaded: the wall clock of this process begins at the time in SLOW_CLOCK, in milliseconds, and goes a thousand times
 * slower than the real one. It does not stand still: code that waits for a while would wait for ever.
 */
const RealDate = Date
const began = RealDate.now()
const now = () => Number(process.env.SLOW_CLOCK) + (RealDate.now() - began) / 1000

globalThis.Date = class extends RealDate {
  constructor(...args) {
    super(...(args.length === 0 ? [now()] : args))
  }

  static now() {
    return now()
  }
}
