import type { Check } from '../../doctor/check.ts'
import type { Restoration } from '../../doctor/restore.ts'

export function checksJson({ home, checks }: { home: string; checks: readonly Check[] }): Record<string, unknown> {
  return { schema_version: 1, home, ok: checks.every(({ state }) => state !== 'fail'), checks }
}

export function restorationJson(restored: Restoration): Record<string, unknown> {
  return { schema_version: 1, ...restored }
}
