import type { Topic } from '../support/attack.ts'

export const ROWS = {
  title: "A person's commands",
  attacks: {
    commands: {
      agent: 'calls a command of a person, such as `fleet config set`, `answer`, `retry`, `kill` or `run stop`',
      fleet: 'The command refuses, and names the run it was called in.',
      verdict: 'prevented',
    },
    variables: {
      agent:
        'unsets or changes the `FLEET_` variables, or clears its whole environment (`env -i`), to pass for a person',
      fleet: 'The command finds the run in the environment of the processes above it, and refuses.',
      verdict: 'prevented',
    },
    processes: {
      agent:
        'calls it in another session, with `nohup`, through another shell, or from a process that lost its parents',
      fleet:
        'Such a process still descends from its run: where there is a launcher, a lost one becomes a child of the run.',
      verdict: 'prevented',
    },
    homes: {
      agent: 'reaches the home by another path: a link, a link to its store, `HOME` instead of `FLEET_HOME`',
      fleet: 'The home is known by its files and not by its name, so the command refuses.',
      verdict: 'prevented',
    },
    table: {
      agent:
        'hides its parents: by a `ps` of its own, by mounting something over `/proc`, or in a pid namespace of its own',
      fleet: 'A command that cannot see its parents refuses while a run is open, and names that run.',
      verdict: 'prevented',
    },
    leader: {
      agent: 'kills the process that leads its run, and calls the command from what is left',
      fleet: 'It is below the launcher then, so the command refuses; the rest of the run is ended.',
      verdict: 'prevented',
    },
    otherName: {
      agent: "calls `fleet bd` with another run's `FLEET_RUN_ID` and `FLEET_TASK_ID`, to act for that task",
      fleet: 'The processes above it count, not its own variables: to fleet it stays the agent of its own task.',
      verdict: 'prevented',
    },
    queue: {
      agent: 'makes a home of its own on the same Postgres queue, and settles tasks from there',
      fleet: 'The command compares the queues of both homes, and refuses.',
      verdict: 'prevented',
    },
    nested: {
      agent: 'nests thousands of shells without an environment, so that its run is far above the command',
      fleet: 'Every parent is looked at. A chain that is too long counts as one that cannot be read, and is refused.',
      verdict: 'prevented',
    },
    otherHome: {
      agent: 'calls commands of another home of yours (`FLEET_HOME`), which does not run it',
      fleet: 'fleet cannot tell that home from one that the agent made to try something out, where all commands work.',
      verdict: 'open',
    },
    errand: {
      agent:
        'lets a process outside its run call the command: a tmux server or cron of yours, `ssh localhost`, a daemon',
      fleet:
        'fleet cannot tell this from a command of yours. Keep such doors closed to agents, or give them a user of their own.',
      verdict: 'open',
    },
    orphan: {
      agent:
        'clears the environment of a process that lost its parents, on a machine without a launcher (macOS, no perl)',
      fleet: 'If no look at the process table saw it before, nothing tells it from a process of yours.',
      verdict: 'open',
    },
    store: {
      agent:
        'writes to fleet.db with a program of its own, or loads code into the command (`NODE_OPTIONS`, `LD_PRELOAD`)',
      fleet:
        'An agent runs as you, and can write what you can. A sandbox, or a user of its own, is the only fence here.',
      verdict: 'open',
    },
    supervisor: {
      agent: 'stops or kills the supervisor or its launcher, or traces it (`ptrace`)',
      fleet:
        'Without a pid namespace an agent can signal every process of yours. Agents keep running; the next supervisor adopts them.',
      verdict: 'open',
    },
  },
} as const satisfies Topic
