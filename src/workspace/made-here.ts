import { join } from 'node:path'
import { readEnd } from '../platform/files/attempt-folder.ts'
import type { Checkout } from '../platform/git/checkout.ts'

const LOG_BYTES = 1 << 18
/** A log tells whole seconds. */
const SECOND = 1000
const ENTRY =
  /^[0-9a-f]{40,64} ([0-9a-f]{40,64}) .*> (\d+) [+-]\d{4}\t(commit|merge|cherry-pick|revert|rebase|pull|am)\b(.*)/
/** HEAD moves to a commit that is there already. */
const MOVES = /^[^:]*\((?:start|finish|abort)\)|: fast-forward$/i

/**
 * The commits that HEAD's own log says were made in this checkout since a time: also of a branch that is deleted by now. An
 * agent can write that log, and can just as well make a commit.
 */
export function madeHere({ gitFolder }: Checkout, since: number): ReadonlySet<string> {
  const lines = (readEnd(join(gitFolder, 'logs', 'HEAD'), LOG_BYTES) ?? '').split('\n')
  return new Set(
    lines.flatMap((line) => {
      const [, id, seconds, action, how = ''] = ENTRY.exec(line) ?? []
      if (id === undefined || (action !== 'commit' && MOVES.test(how))) return []
      return Number(seconds) * SECOND >= since - SECOND ? [id] : []
    }),
  )
}
