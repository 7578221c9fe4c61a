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
    hooks: {
      agent: 'changes a script of its project that your own hook or filter calls, which then runs when its work lands',
      fleet:
        'It runs without your secrets, with the marks of its run, and what it leaves with these marks is killed. But it runs outside of a pid namespace and beside the launcher: a process that loses its parents and its environment looks like yours. `fleet land` runs your hooks as you set them up; those that call scripts of the project run what agents wrote.',
      verdict: 'open',
    },
    otherRepository: {
      agent: 'puts a hook into a repository in which it has no task, or in which no task has worked in a worktree yet',
      fleet:
        'What was changed while any agent of this home ran is not taken for yours: nothing lands there until you have looked, with `fleet review <id>`, and accepted it. Only what git itself writes into a new repository is taken unasked.',
      verdict: 'prevented',
    },
  },
} as const satisfies Topic
