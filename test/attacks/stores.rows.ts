import type { Topic } from '../support/attack.ts'

export const ROWS = {
  title: 'The home and its store',
  attacks: {
    removes: {
      agent: 'removes `fleet.db`, or moves another file into its place',
      fleet:
        'Within a second the supervisor stops all agents and ends with exit status 7. It keeps the store as it was in `backups/`, and `fleet doctor --restore` puts it back; nothing is made again, and nothing is counted.',
      verdict: 'noticed',
    },
    deletes: {
      agent: 'deletes or moves the home',
      fleet:
        'Within a second the supervisor stops all agents and ends with exit status 7. No command makes the home again. What was deleted is lost: keep copies of `backups/` elsewhere.',
      verdict: 'noticed',
    },
    unlocks: {
      agent: 'removes `lock.db` and `supervisor.json`, so that a second supervisor could start',
      fleet:
        'The supervisor ends within a second with exit status 7; its agents keep running, and the next one adopts them. While the first one lives, no other starts.',
      verdict: 'noticed',
    },
    poses: {
      agent:
        'poses as the supervisor: has `lock.db` open, or a file with such a name, and writes its own pid into `supervisor.json`',
      fleet:
        'The holder of the lock counts, as the kernel and the ledger tell it: `fleet run stop` ends the supervisor, and the next one starts and adopts the agent.',
      verdict: 'prevented',
    },
    shuts: {
      agent: 'takes away the permission to write to the folder of the tasks',
      fleet:
        'Nothing new is started and no task is counted or blocked. `fleet tasks` says what is lacking, and claiming goes on by itself after the repair. As root the permission is without effect.',
      verdict: 'noticed',
    },
    pipes: {
      agent: 'puts a pipe in place of `runtime.toml`, of the log or of the wake file',
      fleet: 'No command and no supervisor waits for it. The last good configuration stays in force.',
      verdict: 'prevented',
    },
    overwrites: {
      agent: 'writes an older copy over `fleet.db` in place, without making it smaller',
      fleet:
        'fleet cannot tell this from SQLite’s own writing: the store may then be damaged, which the next command or `fleet doctor` says. An agent of the same user can write to its files; the hourly backups help.',
      verdict: 'open',
    },
  },
} as const satisfies Topic
