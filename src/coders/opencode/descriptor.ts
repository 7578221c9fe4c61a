import type { CoderDescriptor } from '../descriptor.ts'

export const opencodeDescriptor: CoderDescriptor = {
  name: 'opencode',
  program: 'opencode',
  contextWindow: 128_000,
  startCostMs: 5500,
  variables: { families: ['OPENCODE'] },
  stores: [
    { path: '.local/share/opencode', variable: 'XDG_DATA_HOME', below: 'opencode' },
    { path: '.local/state/opencode', variable: 'XDG_STATE_HOME', below: 'opencode' },
    { path: '.config/opencode', variable: 'XDG_CONFIG_HOME', below: 'opencode' },
  ],
  load: async () => (await import('./coder.ts')).opencode,
  login: async () => (await import('./login.ts')).opencodeAccount,
  knowledge: {
    proven: true,
    events: 'text, tools when they have ended, usage and cost of each step; no result',
    limits: 'its error event after five retries; while it waits silently, its log on stderr',
    window: 'never reported; by the name of the model',
    resume: '`--session`, by the id in every event',
    kill: 'SIGTERM ends it at once; tools live on and are swept',
  },
}
