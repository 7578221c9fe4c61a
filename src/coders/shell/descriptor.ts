import type { CoderDescriptor } from '../descriptor.ts'

export const shellDescriptor: CoderDescriptor = {
  name: 'shell',
  startCostMs: 0,
  variables: {},
  load: async () => (await import('./coder.ts')).shell,
  knowledge: {
    proven: true,
    events: 'text',
    limits: 'none',
    window: 'none',
    resume: 'no',
    kill: 'SIGTERM goes to all processes of the script',
  },
}
