import type { Topic } from '../support/attack.ts'

export const ROWS = {
  title: 'Evidence',
  attacks: {
    exitWhileItRuns: {
      agent: 'writes exit status 0 into its exit file and fails',
      fleet: 'The status that the kernel told counts: its task is not closed.',
      verdict: 'prevented',
    },
    exitAndImmutable: {
      agent: 'puts a folder or a link where its exit status is recorded, and ends as if no program could be started',
      fleet: 'The status that the kernel told counts: its task is not closed.',
      verdict: 'prevented',
    },
    exitWithoutWrapper: {
      agent: 'writes exit status 0 into its exit file and kills the process that would write the true one',
      fleet: 'The file lacks the key of that process, so the exit counts as unknown, and its task is not closed.',
      verdict: 'prevented',
    },
    exitBeforeStop: {
      agent: 'writes exit status 0 into its exit file, works on, and the supervisor is stopped',
      fleet: 'The file lacks the key, so the run counts as stopped, and its task stays open.',
      verdict: 'prevented',
    },
    exitWithoutSupervisor: {
      agent: 'fails while no supervisor runs, and leaves a process that turns the recorded exit status into 0',
      fleet:
        'The next supervisor finds the key of a failure, or none: its task is not closed, and the receipt names the file.',
      verdict: 'noticed',
    },
    launchRecord: {
      agent: 'changes the record of what its work is compared with',
      fleet: 'The ledger has the record too. The claim does not count, and the receipt names the file.',
      verdict: 'noticed',
    },
    launchRecordOfBefore: {
      agent: 'changes the record of its attempt, so that the next attempt at the task is judged by it',
      fleet: 'The next attempt is judged by the record in the ledger.',
      verdict: 'prevented',
    },
    receipt: {
      agent: 'changes or removes a receipt',
      fleet: 'fleet task <id> receipt prints the one in the ledger and says so; fleet show names the file.',
      verdict: 'noticed',
    },
    letter: {
      agent: 'changes a letter that fleet has taken in, while no supervisor runs',
      fleet: 'The letter in the ledger counts. The claim does not, and the receipt names the file.',
      verdict: 'noticed',
    },
    output: {
      agent: 'puts another file in place of its output before fleet has read it',
      fleet: 'The device and inode of the file are known from the start: the claim does not count.',
      verdict: 'noticed',
    },
    startRecord: {
      agent: 'writes into its files that it was never started, so that its failure is not counted',
      fleet: 'The ledger has its process: the failure counts.',
      verdict: 'prevented',
    },
    outputAtOnce: {
      agent: 'prints more than the limit and ends at once',
      fleet: 'The length of the file counts, not what was read of it: the run fails, with the reason.',
      verdict: 'prevented',
    },
    outputSparse: {
      agent: 'makes its output file long without writing to it',
      fleet: 'The length of the file counts: the run fails, with the reason.',
      verdict: 'prevented',
    },
    eventsFlood: {
      agent: 'floods events.jsonl with what it prints',
      fleet: 'The file is bounded, for one attempt and for a task. One line says that the rest was left out.',
      verdict: 'prevented',
    },
    lettersFlood: {
      agent: 'floods the log of its task with notes',
      fleet: 'Its letters get a bounded part of the log. One line says that the rest was left out.',
      verdict: 'prevented',
    },
    ledgerItself: {
      agent: 'opens fleet.db with a program of its own and changes the records there',
      fleet: 'It runs as the same user, so the file is within its reach: only another user or a sandbox keeps it out.',
      verdict: 'open',
    },
    memory: {
      agent: 'reads the key of its exit record from the memory of its wrapper, with a debugger',
      fleet: 'It runs as the same user: where the system lets a process trace another, fleet cannot tell.',
      verdict: 'open',
    },
  },
} as const satisfies Topic
