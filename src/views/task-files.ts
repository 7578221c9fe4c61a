/** A file that can be read of a task. */
export interface TaskFile {
  /** Relative to the folder of the task, or of the attempt. */
  readonly path: string
  readonly of: 'task' | 'attempt'
  /** Each line is a JSON document. */
  readonly journal?: boolean
  readonly about: string
  /** When it is written; the hint where it does not exist. */
  readonly made: string
}

/** By the name it has on the command line. */
export const TASK_FILES = {
  log: {
    path: 'log.jsonl',
    of: 'task',
    journal: true,
    about: "the supervisor's log of this task",
    made: 'the supervisor writes it when the agent tells it something, and at the end of an attempt',
  },
  plan: {
    path: 'artifacts/PLAN_AND_STATUS.md',
    of: 'task',
    about: "the agent's plan and where it stands",
    made: 'the agent writes it before its first edit',
  },
  knowledge: {
    path: 'artifacts/KNOWLEDGE.md',
    of: 'task',
    about: 'what the agent found out',
    made: 'the agent writes it where it learns something worth keeping',
  },
  events: {
    path: 'events.jsonl',
    of: 'task',
    journal: true,
    about: 'what the agents did, in one vocabulary for every coder',
    made: 'the supervisor writes it while an agent works',
  },
  prompt: {
    path: 'prompt.md',
    of: 'attempt',
    about: 'what the agent was told',
    made: 'the supervisor writes it before it starts an agent; a shell task has none',
  },
  receipt: {
    path: 'receipt.json',
    of: 'attempt',
    about: "the agent's claim against the evidence",
    made: 'the supervisor writes it when the attempt has ended',
  },
  stderr: {
    path: 'stderr.log',
    of: 'attempt',
    about: 'stderr of the agent',
    made: 'it is made when an agent is started',
  },
  output: {
    path: 'stdout.jsonl',
    of: 'attempt',
    about: 'stdout of the agent, as it came',
    made: 'it is made when an agent is started',
  },
} as const satisfies Readonly<Record<string, TaskFile>>

export type TaskFileName = keyof typeof TASK_FILES

/** Views of an attempt that are not one of its files, each with its description. */
export const READINGS = {
  transcript: 'the attempt as a conversation: what the agent said, its tools and what they printed',
  diff: 'the difference in the checkout since before the first attempt, with new files',
} as const satisfies Readonly<Record<string, string>>
