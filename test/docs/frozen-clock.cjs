/** Preloaded: the wall clock of this process always says the time in FROZEN_CLOCK, in milliseconds. */
const RealDate = Date
const now = Number(process.env.FROZEN_CLOCK)

globalThis.Date = class extends RealDate {
  constructor(...args) {
    super(...(args.length === 0 ? [now] : args))
  }

  static now() {
    return now
  }
}
