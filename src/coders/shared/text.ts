import type { CoderEvent } from '../../domain/run/event.ts'
import type { Exit } from '../../domain/run/run.ts'
import { bounded } from '../../domain/text/bounded.ts'
import type { Verdict } from '../../ports/coder.ts'
import { exitWords, lastWords } from './exit-words.ts'

const LINE = 2000

/** For a program without events: every line is text. */
export function textEvents(line: string): readonly CoderEvent[] {
  const text = line.trimEnd()
  return text === '' ? [] : [{ type: 'text', text: bounded(text, LINE) }]
}

/** Only the exit status says how a program without events ended. */
export function textVerdict(exit: Exit, stderrTail: string): Verdict {
  if (exit.kind === 'code' && exit.code === 0) return { kind: 'finished' }
  const text = [exitWords(exit), lastWords(stderrTail, 300)].filter(Boolean).join(': ')
  return { kind: 'failed', outcome: { code: exit.kind === 'unknown' ? 'lost' : 'error', text } }
}
