import type { Flags } from '../../flags.ts'
import { type BdCall, BdFailure } from '../command.ts'

/** First check: a writing command under --readonly does nothing. */
export function refuseReadonly(call: BdCall, operation: string): void {
  if (!call.flags.on('readonly')) return
  throw new BdFailure(`operation '${operation}' is not allowed in read-only mode`, { json: 'text' })
}

/** At most one flag of each group. */
export function refuseTogether(flags: Flags, groups: readonly (readonly string[])[]): void {
  for (const group of groups) {
    const given = group.filter((name) => flags.has(name)).sort()
    if (given.length < 2) continue
    const message = `if any flags in the group [${group.join(' ')}] are set none of the others can be; [${given.join(' ')}] were all set`
    throw new BdFailure(message, { json: 'text' })
  }
}
