import type { Coder, CoderTraits } from '../../ports/coder.ts'
import { textEvents, textVerdict } from '../shared/text.ts'

/**
 * One that is at work, and of which the configuration tells nothing any more. Its task stays in its hands, and it can be
 * ended; what it prints is text. `known`: what was written down about it when it was started.
 */
export function forgottenCoder(name: string, known: Partial<Pick<CoderTraits, 'claim' | 'evidence'>> = {}): Coder {
  return {
    name,
    binary: name,
    traits: {
      claim: known.claim ?? 'explicit',
      evidence: known.evidence ?? 'work',
      resume: false,
      stream: 'text',
      contextWindow: undefined,
      defaultModel: undefined,
    },
    launch() {
      throw new Error(`nobody knows how ${name} is started`)
    },
    parse: textEvents,
    verdict: (exit, _digest, stderrTail) => textVerdict(exit, stderrTail),
  }
}
