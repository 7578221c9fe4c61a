import type { Lane } from '../../src/domain/run/run.ts'

export const NOW = Date.UTC(2026, 0, 1)
export const MINUTE = 60_000

/** A lane that has been in this state for a minute. */
export const lane = (name: string, state: Lane['state'], more: Partial<Lane> = {}): Lane => ({
  name,
  state,
  until: null,
  code: null,
  reason: null,
  since: NOW - MINUTE,
  ...more,
})
