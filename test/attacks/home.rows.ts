import type { Topic } from '../support/attack.ts'

const HELD = '`fleet tasks` says so first, and the receipts of the runs that were alive name the file.'

export const ROWS = {
  title: "Fleet's own files",
  attacks: {
    config: {
      agent: 'edits `runtime.toml`',
      fleet: `The configuration stays as it was, also after a restart of the supervisor, until a person says \`fleet config accept\` or \`revert\`. ${HELD}`,
      verdict: 'prevented',
    },
    configAtOnce: {
      agent: 'edits `runtime.toml` in its first instruction, or in its last',
      fleet:
        'It counts as an edit made while agents ran: the home is marked before an agent starts, and looked at after the last one has gone.',
      verdict: 'prevented',
    },
    configRemoved: {
      agent: 'removes `runtime.toml`, or puts a link, a pipe or a folder in its place',
      fleet: 'The configuration stays as it was; `fleet config revert` puts the file back.',
      verdict: 'prevented',
    },
    queue: {
      agent: 'writes another `queue` into `runtime.toml`, so that your own commands use its tasks',
      fleet: 'No command uses it: commands take the configuration that a person left.',
      verdict: 'prevented',
    },
    riding: {
      agent: 'edits `runtime.toml`, and waits for you to change a setting',
      fleet: '`fleet config set` changes nothing, and asks you to accept or revert the other change first.',
      verdict: 'prevented',
    },
    decides: {
      agent: "accepts its own change of fleet's files",
      fleet: '`fleet config accept` and `revert` are refused inside a run.',
      verdict: 'prevented',
    },
    coder: {
      agent: 'changes a file in `coders/`, which runs inside the supervisor',
      fleet: `The file that you left runs, from fleet's own copy, until you accept the other. ${HELD}`,
      verdict: 'prevented',
    },
    launcher: {
      agent: 'changes `bin/fleet`, the command of all agents, or puts programs of its own beside it',
      fleet: 'fleet checks the folder before each start, puts it right, and tells the log and the receipts.',
      verdict: 'prevented',
    },
    compiled: {
      agent: 'plants compiled code in the home (`code/`), for your next command to run',
      fleet: 'No command loads compiled code from the home.',
      verdict: 'prevented',
    },
    taskFile: {
      agent: "edits another task's `task.json`: its coder, its directory, its script",
      fleet:
        'That task runs with the settings that it had, until a person says `fleet task <id> accept` or `revert`. `fleet tasks` says so first, and the receipts of the runs that were alive name the file.',
      verdict: 'prevented',
    },
    taskFileBroken: {
      agent: "writes nonsense into another task's `task.json`",
      fleet: 'That task runs with the settings that it had; it is not blocked.',
      verdict: 'prevented',
    },
    answersForYou: {
      agent: "writes an answer below another task's open question in its `Q&A.md`",
      fleet:
        'Nothing happens until you open that task again yourself, without `fleet answer`. Then it is blocked again, and no agent is started, before you accept that text with `fleet task <id> accept`, which shows it, or revert it. `fleet answer` ignores the file.',
      verdict: 'prevented',
    },
    later: {
      agent:
        'leaves something outside its run that edits these files when no agent runs: a line in your crontab, a timer, a hook of your shell',
      fleet: 'fleet takes it for your own edit. Whoever can start programs as you can do what you can.',
      verdict: 'open',
    },
    program: {
      agent: "changes fleet's installed program itself, where you can write it",
      fleet: 'fleet cannot tell. Install it as another user (root), and the agents, which run as you, cannot.',
      verdict: 'open',
    },
    backups: {
      agent: 'changes a backup of the store in `backups/`',
      fleet:
        'fleet cannot tell: once the store is lost, nothing else says what was in it. `fleet doctor --restore` says when it was made, and which tasks are not in it.',
      verdict: 'open',
    },
    newCoder: {
      agent: 'adds a file to `coders/`',
      fleet: 'It is not run before a person accepts it.',
      verdict: 'prevented',
    },
  },
} as const satisfies Topic
