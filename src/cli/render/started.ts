import { flagWords, type Started } from '../../actions/start-supervisor.ts'
import type { RunFlags } from '../../domain/fleet/run-flags.ts'
import { holderText, pausedLine } from './run.ts'

/** `supervisor started (pid 4711)`, or which one is running already, and that claiming is paused. */
export function startedLines(started: Started, { flags, now }: { flags: RunFlags; now: number }): string[] {
  const { holder, paused } = started
  const pause = paused === undefined ? [] : [pausedLine(paused, now)]
  if (started.kind !== 'already-running') {
    const lost = started.kind === 'restarted' && started.flagsUnknown ? [FLAGS_UNKNOWN] : []
    return [`supervisor ${started.kind}${holderText(holder)}`, ...lost, ...pause]
  }
  const change = started.otherFlags
    ? ` with other flags; fleet run restart ${flagWords(flags).map(shellWord).join(' ')} changes them`
    : ''
  return [`already running${holderText(holder)}${change}`, ...pause]
}

const FLAGS_UNKNOWN =
  '! the old supervisor did not record its flags; if it had any, give them again: fleet run restart --max N'

/** As a shell needs it. */
function shellWord(word: string): string {
  return /[^\w.=:/@+-]/.test(word) ? `'${word.replaceAll("'", `'\\''`)}'` : word
}
