import type { Coder, CoderTraits } from '../../ports/coder.ts'
import { textEvents, textVerdict } from '../shared/text.ts'

/**
 * Stands in for the coder of a running agent that the configuration no longer names. The run keeps its task and can be
 * stopped; its output is read as text. `known`: the traits recorded when the run started.
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
      throw new Error(`the configuration no longer says how to start ${name}`)
    },
    parse: textEvents,
    verdict: (exit, _digest, stderrTail) => textVerdict(exit, stderrTail),
  }
}
