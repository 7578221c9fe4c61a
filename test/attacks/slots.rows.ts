import type { Topic } from '../support/attack.ts'

export const ROWS = {
  title: 'Its own files',
  attacks: {
    damage: {
      agent:
        'locks, removes, renames or replaces what fleet keeps in the folder of its task (with a pipe, a folder, a link, a socket, a device, an immutable file, a second name), at any moment',
      fleet:
        'Its run ends within the grace period with the outcome `evidence-destroyed`, which names the file and counts as a failed attempt. Its slot is free, and fleet repairs the folder for the next attempt.',
      verdict: 'prevented',
    },
    stopping: {
      agent: 'does the same and refuses to end',
      fleet: '`fleet kill`, `fleet run stop`, SIGTERM and `fleet run --once` return all the same.',
      verdict: 'prevented',
    },
    nextSupervisor: {
      agent: 'does the same and outlives the supervisor',
      fleet: 'The next supervisor adopts the run, judges it, and is not held up either.',
      verdict: 'prevented',
    },
    reading: {
      agent: 'replaces its files while people look at them',
      fleet:
        'Every command returns: it reads only regular files, at most so much of them, and names the file that it left alone.',
      verdict: 'prevented',
    },
    unrepairable: {
      agent: 'damages the folder of its task so that fleet cannot repair it, as by giving it to another user',
      fleet: 'The task is blocked with the reason and the next step. All other tasks go on.',
      verdict: 'noticed',
    },
    otherRun: {
      agent: "does the same to the files of another task's run",
      fleet:
        'That run ends as `evidence-destroyed` in its place: nothing is lost but its attempt, and no slot is held. fleet does not know which agent did it.',
      verdict: 'noticed',
    },
    otherFiles: {
      agent: "gives one of fleet's files the name of a file of yours, by a hard link or a symbolic link",
      fleet: 'fleet reads, writes and unlocks no file through such a name; yours stays as it was.',
      verdict: 'prevented',
    },
    mounted: {
      agent:
        'without a pid namespace, mounts a file system of its own program over its folder (FUSE) and answers nothing',
      fleet:
        'The supervisor can wait in the kernel until that program ends. fleet cannot tell this from a slow disk; `pid_namespace = "auto"` as root hides such mounts from fleet.',
      verdict: 'open',
    },
  },
} as const satisfies Topic
