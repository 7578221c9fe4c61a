import type { Usage } from '../../domain/run/event.ts'
import { count, type Fields, known } from '../shared/fields.ts'

/** codex counts cache reads and cache writes as part of the input. */
export function codexUsage(told: Fields): Usage {
  const whole = count(told['input_tokens'])
  const cacheRead = count(told['cached_input_tokens'])
  const cacheWrite = count(told['cache_write_input_tokens'])
  return known({
    input: whole === undefined ? undefined : Math.max(0, whole - (cacheRead ?? 0) - (cacheWrite ?? 0)),
    output: count(told['output_tokens']),
    cacheRead,
    cacheWrite,
    reasoning: count(told['reasoning_output_tokens']),
  })
}
