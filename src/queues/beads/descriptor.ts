import { AppError } from '../../errors.ts'
import type { HomeQueueKind } from '../kind.ts'

/** The tasks are in a database of bd in the home, and the store of the home holds a mirror of them. */
export const beadsKind: HomeQueueKind = {
  name: 'beads',
  at: 'home',
  expected: 'beads',
  usage: 'beads',
  where: 'in its beads database',
  fits: (setting) => setting === 'beads',
  servedBy: 'bd',
  folder: {
    of: (home) => home.beads,
    // The mirror alone is not the queue: a write to it would never reach bd.
    gone: (home) =>
      new AppError('queue', `${home.beads} is gone, bd's database with the tasks of this home`, {
        hint: 'nothing was changed; restore a copy of it, or run fleet queue migrate --to local to continue with what fleet last saw of it',
      }),
  },
  outside: async () => await import('./outside.ts'),
}
