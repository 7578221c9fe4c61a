import type { HomeQueueKind } from '../kind.ts'

/** The tasks are in the store of the home, which src/app.ts opens in any case. */
export const localKind: HomeQueueKind = {
  name: 'local',
  at: 'home',
  expected: 'local',
  usage: 'local',
  where: 'in its fleet.db',
  fits: (setting) => setting === 'local',
  servedBy: 'fleet',
}
