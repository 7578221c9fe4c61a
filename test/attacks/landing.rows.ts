import type { Topic } from '../support/attack.ts'

export const ROWS = {
  title: 'Landing and checks',
  attacks: {
    commands: {
      agent:
        "leaves code that calls a person's command when its work is set up and checked before it lands, with its run over, with a cleared environment or in a pid namespace of its own",
      fleet: 'While work lands, such a command is refused as it is while an agent runs; the refusal names the task.',
      verdict: 'prevented',
    },
    config: {
      agent: 'leaves code that edits `runtime.toml` or `coders/` when its work is checked before it lands',
      fleet:
        'The edit counts as one that was made while agents ran: it is not in force until a person accepts it, and the receipt of its run names the file.',
      verdict: 'prevented',
    },
    remote: {
      agent:
        'points the target branch at a repository of its own (`branch.main.remote`), where `push = true` would push it',
      fleet:
        'A push goes to a remote of the repository alone, and the fingerprint covers those; otherwise it waits, and `fleet land` says for what. Among your own remotes an agent can still choose another.',
      verdict: 'prevented',
    },
    hugeFiles: {
      agent: "makes a hook or the attributes of a repository so large that they fill the supervisor's memory",
      fleet: 'Larger ones than anybody has are not read; the landing waits, and says for what.',
      verdict: 'prevented',
    },
  },
} as const satisfies Topic
