import type { RunFlags } from '../../config/policy.ts'
import { argumentsOf } from '../../platform/process/process-table.ts'
import type { Holder } from '../../platform/sqlite/supervisor-lock.ts'
import { FlagError, parseFlags } from '../flags.ts'
import { RUN_FLAGS, runFlagsIn } from './run-flags.ts'

/** What the supervisor that runs was told on its command line: it stands above the configuration. */
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
