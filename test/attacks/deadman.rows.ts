import type { Topic } from '../support/attack.ts'

export const ROWS = {
  title: 'Leases of a shared queue',
  attacks: {
    end: {
      agent: "ends the dead man's switch that watches over its lease",
      fleet:
        'In a pid namespace it does not see the switch. Without one the supervisor notices within seconds, says so in the log, and starts another switch that knows all runs; until then no agent starts.',
      verdict: 'noticed',
    },
    stop: {
      agent: "stops the dead man's switch with SIGSTOP",
      fleet: 'The supervisor misses its answers, ends it within seconds, and starts another one.',
      verdict: 'noticed',
    },
    record: {
      agent: "claims by a forged record that the dead man's switch ended it, so that its failure would not count",
      fleet: 'The supervisor believes the record only if the lease was not renewed in time. The attempt counts.',
      verdict: 'prevented',
    },
    both: {
      agent: "ends the dead man's switch and the supervisor at the same moment, and works on after its lease",
      fleet:
        'In a pid namespace it sees neither of them. Without one nothing is left that could end it before the next supervisor comes: another machine may start the task beside it, and its own result is refused.',
      verdict: 'open',
    },
  },
} as const satisfies Topic
