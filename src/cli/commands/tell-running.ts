import { openLedger } from '../../app.ts'
import { AppError } from '../../errors.ts'
import type { Holder } from '../../platform/sqlite/supervisor-lock.ts'
import type { Call } from '../command.ts'
import { holderText, isLeaving, pausedLine } from '../render/run.ts'
import { runWords } from './run-flags.ts'

/** The home has one already; one that is about to end is none that somebody who wants one could rely on. */
export function tellRunning(call: Call, holder: Holder, words: readonly string[]): undefined {
  if (isLeaving(holder)) throw leaving(holder)
  const inForce = runWords(holder.flags)
  const others = words.every((word) => inForce.includes(word))
    ? ''
    : ` with other flags; fleet run restart ${words.map(shellWord).join(' ')} changes them`
  call.print(`already running${holderText(holder)}${others}`)
  tellPause(call)
}

/** As a shell needs it. */
function shellWord(word: string): string {
  return /[^\w.=:/@+-]/.test(word) ? `'${word.replaceAll("'", `'\\''`)}'` : word
}

function leaving(holder: Holder): AppError {
  const [ends, restarts] =
    holder.mode === 'draining'
      ? ['when its last agent has ended', 'starts another at once, which adopts its agents']
      : ['when its agents have ended', 'waits for that and starts another']
  return new AppError('failed', `the supervisor${holderText(holder)} is ${holder.mode}: it ends ${ends}`, {
    hint: `fleet run status says when it is gone; fleet run restart ${restarts}`,
  })
}

/** Whoever starts a supervisor waits for something to happen. */
export function tellPause({ home, print }: Call): undefined {
  using ledger = openLedger(home, { readOnly: true })
  const paused = ledger.paused()
  if (paused !== undefined) print(pausedLine(paused, Date.now()))
}
