import { RUN_FLAGS, runFlagsIn } from '../cli/commands/run-flags.ts'
import { FlagError, parseFlags } from '../cli/flags.ts'
import type { RunFlags } from '../config/policy.ts'
import { argumentsOf } from '../platform/process/process-table.ts'
import type { Holder } from '../platform/sqlite/supervisor-lock.ts'

/** The flags of the running supervisor: they override the configuration. */
export function flagsInForce(holder: Holder | undefined): RunFlags {
  if (holder?.proc == null) return {}
  const words = argumentsOf(holder.proc.pid)
  try {
    return runFlagsIn(parseFlags(words.slice(words.indexOf('run') + 1), RUN_FLAGS).flags)
  } catch (error) {
    // Of another version, or gone in this moment.
    if (error instanceof FlagError) return {}
    throw error
  }
}
