import type { Topic } from '../support/attack.ts'

export const ROWS = {
  title: 'Letters',
  attacks: {
    word: {
      agent: 'says that it is done without having done anything',
      fleet: 'Its task stays open: the claim is on the receipt, beside the missing evidence.',
      verdict: 'prevented',
    },
  },
} as const satisfies Topic
