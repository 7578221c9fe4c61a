import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  type Identities,
  type Identity,
  isMoved,
  LOSS_RULES,
  lossOf,
  WATCHED,
  type Watched,
} from '../../../src/domain/fleet/store-loss.ts'

const identity: fc.Arbitrary<Identity> = fc.oneof(
  fc.record({ dev: fc.nat(2), ino: fc.nat(3) }),
  fc.constant(null),
  fc.constant(undefined),
)
const identities: fc.Arbitrary<Identities> = fc.record(
  Object.fromEntries(WATCHED.map((what) => [what, identity])) as Record<Watched, fc.Arbitrary<Identity>>,
)

describe('the loss of a file of the home', () => {
  test('is told for the first file that is another one or gone, and never for one that cannot be asked', () => {
    const isLost = (was: Identity, is: Identity): boolean =>
      was != null && is !== undefined && (is === null || is.dev !== was.dev || is.ino !== was.ino)
    fc.assert(
      fc.property(identities, identities, (before, now) => {
        const first = WATCHED.find((what) => isLost(before[what], now[what]))
        const how = first !== undefined && now[first] === null ? 'gone' : 'replaced'
        expect(lossOf(before, now)).toEqual(first === undefined ? undefined : { what: first, how })
      }),
    )
  })

  test('stops the agents if the ledger is concerned, and keeps them if only a lock is', () => {
    expect(WATCHED.filter((what) => LOSS_RULES[what].agents === 'keep')).toEqual(['lock', 'queue-lock'])
  })

  test('lets the ledger be written only if all its files may be together elsewhere', () => {
    const all = WATCHED.flatMap((what) => (['gone', 'replaced', 'truncated'] as const).map((how) => ({ what, how })))
    expect(all.filter(isMoved).map(({ what, how }) => `${what} ${how}`)).toEqual([
      'home gone',
      'home replaced',
      'home truncated',
      'store gone',
    ])
  })
})
