import type { Topic } from '../support/attack.ts'

export const ROWS = {
  title: 'Worktrees',
  attacks: {
    hugeFile: {
      agent:
        'puts a file of 200 GB into the primary checkout, where `.worktreeinclude` names it, so that every new worktree waits for its copy',
      fleet:
        'More than 2 GB are refused: the next task says which file it is, and waits for a person. Less is copied a part at a time, while the supervisor does its other work; `fleet kill` and `fleet run stop` end the copy.',
      verdict: 'noticed',
    },
    hugeIndex: {
      agent: "blows up its worktree's index with a part that git skips, so that keeping its work copies gigabytes",
      fleet: 'An index of more than 512 MB is made again from the commit. The work is kept.',
      verdict: 'prevented',
    },
  },
} as const satisfies Topic
