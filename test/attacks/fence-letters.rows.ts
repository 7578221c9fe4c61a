import type { Topic } from '../support/attack.ts'

export const ROWS = {
  title: 'Letters for another run',
  attacks: {
    planted: {
      agent: "writes a `done` into another task's inbox, in the name of that task's run",
      fleet: 'It lacks the signature of that run: it is refused, and stands in the log and on the receipt of that run.',
      verdict: 'prevented',
    },
    renamed: {
      agent: "calls `fleet done` with the variables of another task's run",
      fleet:
        'The letter is signed by the wrong run: it is refused, and stands in the log and on the receipt of that run.',
      verdict: 'prevented',
    },
    replayed: {
      agent: "hands in a letter again that another run has signed, or copies its own into another task's inbox",
      fleet: 'A letter counts once, and only for the run that signed it.',
      verdict: 'prevented',
    },
    spoken: {
      agent:
        "tells another agent something in a person's name: by `fleet tell`, or by a file in the place of a message",
      fleet: 'The command refuses. Only what fleet has signed for that run is read; the file is left where it is.',
      verdict: 'prevented',
    },
    leaked: {
      agent: 'prints the key with which its letters are signed',
      fleet:
        'It is masked in logs, events, prompts, comments and receipts. It is not in launch.json, and not in the ledger.',
      verdict: 'prevented',
    },
    read: {
      agent: "reads another run's key from `/proc/<pid>/environ`, where agents run without a pid namespace",
      fleet: 'Then it can sign for that run. The claim still needs evidence: words without work close no task.',
      verdict: 'open',
    },
  },
} as const satisfies Topic
