import type { Order } from '../../src/ports/coder.ts'

/** An ordinary first attempt; each test overrides the fields it is about. */
export const ORDER: Order = {
  model: undefined,
  cwd: '/project',
  promptFile: '/attempt/prompt.md',
  newSession: '22222222-2222-4333-8444-555555555555',
  permissions: 'full',
  writes: ['/task/artifacts', '/task/inbox'],
  lean: false,
  isRoot: false,
}
