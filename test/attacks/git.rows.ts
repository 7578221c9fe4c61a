import type { Topic } from '../support/attack.ts'

export const ROWS = {
  title: 'Git',
  attacks: {
    configuration: {
      agent:
        "names a program in the repository's configuration or attributes (a filter, a hook, a file system monitor, a diff or signature program, an ssh command, an included file, a submodule's configuration), so that fleet's git runs it",
      fleet:
        "fleet looks at a repository through a git folder of its own. Git reads objects, branches, index and files there, and nothing of the repository's configuration; it starts no program, and its environment holds no secret.",
      verdict: 'prevented',
    },
    user: {
      agent: "names such a program in the user's own ~/.gitconfig",
      fleet:
        "Looks do not obey the user's configuration either; they take over a few plain values, such as core.autocrlf.",
      verdict: 'prevented',
    },
    program: {
      agent: 'puts a program named git into its project or another folder in front of the real one',
      fleet:
        'fleet keeps to the git that stood on its PATH before its first agent started, and never runs one inside the project or from a relative folder of PATH.',
      verdict: 'prevented',
    },
    pipes: {
      agent:
        'replaces the index, HEAD or packed-refs of the repository, or a .gitignore, by a pipe, so that git waits for ever',
      fleet:
        'The repository counts as damaged: its changes are unknown, which is no evidence, and the task is settled.',
      verdict: 'prevented',
    },
    refs: {
      agent:
        'links a branch of the repository to a huge folder (`.git/refs/heads/x` to `/`), so that git reads the whole disk',
      fleet:
        'The repository counts as damaged: fleet runs no git there before the link is gone, and the task is settled.',
      verdict: 'prevented',
    },
    window: {
      agent:
        'watches the temporary folder and writes into the git folder that fleet makes for a look, within its few milliseconds',
      fleet:
        'The folder has an unguessable name and belongs to the user of fleet alone. An agent of the same user can still do it; no test shows it, because the race is won by chance.',
      verdict: 'open',
    },
    fetching: {
      agent: "names a program in the user's own ~/.gitconfig for the next time fleet clones or updates a repository",
      fleet:
        "A clone needs the user's keys and credential helpers, so it obeys the user's own configuration: as a person left it. The configuration inside fleet's clones does not count.",
      verdict: 'prevented',
    },
    userWriting: {
      agent:
        "names a filter in the user's own ~/.gitconfig, or in a file that it includes, so that fleet's git runs it when it makes a worktree, keeps work or lands it",
      fleet:
        "fleet's git obeys the configuration that a person left, from fleet's own copy, until a person accepts the other (`fleet config accept`). `fleet tasks` says so first. Programs that it names get no secrets.",
      verdict: 'prevented',
    },
  },
} as const satisfies Topic
