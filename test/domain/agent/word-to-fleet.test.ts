import { expect, test } from 'vitest'
import { isWordToFleet } from '../../../src/domain/agent/word-to-fleet.ts'

test.for([
  'fleet done "all 12 tests pass"',
  "fleet done 'it''s done; see $(nothing) | there'",
  'fleet ask "Which one?" --option a --option "b; c"',
  'fleet note hello',
  '/usr/local/bin/fleet done ok',
  'cd /home/you/shop && fleet done "ok"',
  '"fleet done \\"All 12 tests pass\\""',
  'fleet bd close fleet-a1b',
  'fleet done "one\ntwo"',
])('only says something to fleet: %s', (command) => {
  expect(isWordToFleet(command)).toBe(true)
})

test.for([
  'npm test && fleet done ok',
  'fleet done "$(rm -r build)"',
  'fleet done "`make`"',
  'fleet done ok; make',
  'fleet done ok > a.txt',
  'fleet note one\nmake',
  'fleet bd create "More"',
  'fleetdone',
  'make fleet done',
  undefined,
])('is work: %s', (command) => {
  expect(isWordToFleet(command)).toBe(false)
})
