/** Preloaded: the wall clock of this process is off by as many milliseconds as the file in SHIFTED_CLOCK says. */
const { readFileSync } = require('node:fs')

const RealDate = Date
const now = () => RealDate.now() + Number(readFileSync(process.env.SHIFTED_CLOCK, 'utf8'))

globalThis.Date = class extends RealDate {
  constructor(...args) {
    super(...(args.length === 0 ? [now()] : args))
  }

  static now() {
    return now()
  }
}
