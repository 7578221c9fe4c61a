import { flagWords, type Started } from '../../actions/start-supervisor.ts'
import type { RunFlags } from '../../domain/fleet/run-flags.ts'
import { holderText, pausedLine } from './run.ts'

/** `supervisor started (pid 4711)`, or which one is running already, and that claiming is paused. */
export function startedLines(started: Started, { flags, now }: { flags: RunFlags; now: number }): string[] {
  const { holder, paused } = started
  const pause = paused === undefined ? [] : [pausedLine(paused, now)]
  if (started.kind !== 'already-running') return [`supervisor ${started.kind}${holderText(holder)}`, ...pause]
  const change = started.otherFlags
    ? ` with other flags; fleet run restart ${flagWords(flags).map(shellWord).join(' ')} changes them`
    : ''
  return [`already running${holderText(holder)}${change}`, ...pause]
}

/** As a shell needs it. */
function shellWord(word: string): string {
  return /[^\w.=:/@+-]/.test(word) ? `'${word.replaceAll("'", `'\\''`)}'` : word
}
