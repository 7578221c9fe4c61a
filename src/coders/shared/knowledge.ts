/** What fleet knows of a coder from having watched it, or from others; in words for people. */
export interface Knowledge {
  /** true: parser and verdict are tested with recordings of the real program. */
  readonly proven: boolean
  /** What its output tells. */
  readonly events: string
  /** How a usage limit is recognised, and until when it lasts. */
  readonly limits: string
  /** Where the size of the context window comes from. */
  readonly window: string
  /** How an earlier session goes on. */
  readonly resume: string
  /** What ending it takes. */
  readonly kill: string
  /** What nobody has tried. */
  readonly untried?: readonly string[]
}

/** For every name in the registry, whether fleet can run it yet or not. */
export const KNOWLEDGE: Readonly<Record<string, Knowledge>> = {
  claude: {
    proven: true,
    events: 'session, text, tools, usage of each message, background work, totals with cost',
    limits: 'its own event with the reset; otherwise the words of the result',
    window: 'told with each result',
    resume: '`--resume`, by an id that fleet gives',
    kill: 'SIGTERM ends it and its tools at once; after SIGKILL tools live on and are swept',
  },
  codex: {
    proven: true,
    events: 'session, text, tools, usage at the end of a turn; no cost',
    limits: 'the words of the failed turn; the reset from its rollout file',
    window: 'from its rollout file',
    resume: '`exec resume`, by the id it tells',
    kill: 'SIGTERM ends it and its tools at once',
  },
  agy: {
    proven: false,
    events: 'from 1.1.8: session, text, tools, usage at the end of a turn, no cost; before: text',
    limits: 'the words of its last line on stderr, with how long it lasts',
    window: 'never told',
    resume: '`--conversation`, by the id it tells; not before 1.1.8',
    kill: 'not known; what lives on is swept',
    untried: [
      'where it keeps its login, and when a key pays',
      'that it ends when its stdin does',
      'the names of its tools and of their parameters',
      'whether the usage of a conversation that goes on counts the turns before',
      'what its sandbox keeps it from (`permissions = "workspace"`)',
      'the words of most errors, and what it prints when it is ended from outside',
    ],
  },
  opencode: {
    proven: true,
    events: 'text, tools when they have ended, usage and cost of each step; no result',
    limits: 'its error event after five tries of its own; while it waits without a word, its log on stderr',
    window: 'never told; by the name of the model',
    resume: '`--session`, by the id in every event',
    kill: 'SIGTERM ends it at once; tools live on and are swept',
  },
  gemini: {
    proven: true,
    events: 'session, text, tools, totals at the end; usage of each message in the chat it keeps; no cost',
    limits: 'the error of its result and its exit status; it tries again for minutes with words on stderr alone',
    window: 'never told; by the name of the model',
    resume: '`--resume`, by the id it tells',
    kill: 'SIGTERM ends it at once; tools live on and are swept',
  },
  shell: {
    proven: true,
    events: 'text',
    limits: 'none',
    window: 'none',
    resume: 'no',
    kill: 'SIGTERM goes to all processes of the script',
  },
}
