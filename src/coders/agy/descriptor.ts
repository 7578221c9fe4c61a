import type { CoderDescriptor } from '../descriptor.ts'

export const agyDescriptor: CoderDescriptor = {
  name: 'agy',
  program: 'agy',
  contextWindow: 128_000,
  variables: { families: ['AGY', 'ANTIGRAVITY'] },
  stores: [{ path: '.gemini/antigravity-cli' }],
  load: async () => (await import('./coder.ts')).agy,
  login: async () => (await import('./login.ts')).agyAccount,
  knowledge: {
    proven: false,
    events: 'from 1.1.8: session, text, tools, usage at the end of a turn, no cost; before: text',
    limits: 'the words of its last line on stderr, with how long it lasts',
    window: 'never reported',
    resume: '`--conversation`, by the id it reports; not before 1.1.8',
    kill: 'not known; surviving processes are swept',
    untried: [
      'where it keeps its login, and when a key pays',
      'that it ends when its stdin ends',
      'the names of its tools and of their parameters',
      'whether the usage of a resumed conversation includes earlier turns',
      'what its sandbox forbids (`permissions = "workspace"`)',
      'the words of most errors, and what it prints when it is stopped',
    ],
  },
}
