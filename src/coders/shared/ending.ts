import { continuedAfterResult, type Digest } from '../../domain/run/digest.ts'
import type { Trouble } from '../../domain/run/event.ts'
import type { Outcome } from '../../domain/run/outcome.ts'
import type { Exit } from '../../domain/run/run.ts'
import type { Verdict } from '../../ports/coder.ts'
import { exitWords, lastWords } from './exit-words.ts'

export function failed(outcome: Outcome): Verdict {
  return { kind: 'failed', outcome }
}

/** The trouble in the coder's own words: from the result, unless an earlier event says more. */
export function toldTrouble({ result, trouble }: Digest): Trouble | undefined {
  return result?.trouble?.code === 'error' ? (trouble ?? result.trouble) : (result?.trouble ?? trouble)
}

/** For people: the session goes on. */
export const INTERRUPTED = 'something outside fleet interrupted it (SIGINT, as Ctrl-C sends); its session is kept'

const SIGINT = 130

/** The coder ended without a result of its last turn, and reported no trouble. */
export function lost(exit: Exit, { retrying, result }: Digest, stderrTail: string): Outcome {
  if (exit.kind === 'code' && exit.code === SIGINT) return { code: 'interrupted', text: INTERRUPTED }
  const words = lastWords(stderrTail, 300)
  const hints = [retrying === undefined ? '' : `while trying again after: ${retrying.text}`, words].filter(Boolean)
  const missing = result === undefined ? 'no result' : 'no result of its last turn'
  return { code: 'lost', text: [`${missing}, ${exitWords(exit)}`, ...hints].join('; ') }
}

/** For a coder that may print after its last turn: a turn after the result was cut short, unless the exit code is 0. */
export function wasCutShort(exit: Exit, digest: Digest): boolean {
  return continuedAfterResult(digest) && !(exit.kind === 'code' && exit.code === 0)
}
