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
  'fleet done "ok" 2>&1',
  'fleet done ok >/dev/null 2>&1',
  'fleet done ok 2>/dev/null || true',
  'fleet done "ok" 2>&1 | tail -5',
  'fleet done ok; echo "exit $?"',
  'fleet note "found it" && fleet done "ok"\necho done',
  `fleet done "$(cat <<'EOF'\nIt's done; see $(nothing) | there\nEOF\n)"`,
  'fleet done "$(cat <<EOF\nplain\n  EOF\n)" 2>&1 | cat',
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
  'fleet done ok 2>&1 | tee a.txt',
  'fleet done ok | sh',
  'fleet done ok & make',
  'fleet done ok >> a.txt',
  'fleet done ok > /dev/null/../a',
  'fleet done ok; echo x >a.txt',
  'fleet done "$(cat <<EOF\n$(make)\nEOF\n)"',
  `fleet done "$(cat <<'EOF'\nok\nEOF\nmake)"`,
  `fleet done "$(cat <<'EOF' | sh\nmake\nEOF\n)"`,
  'echo fleet done',
  'fleetdone',
  'make fleet done',
  undefined,
])('is work: %s', (command) => {
  expect(isWordToFleet(command)).toBe(false)
})
