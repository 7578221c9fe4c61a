import type { Run } from '../domain/run/run.ts'
import type { VerifyCommand } from '../domain/verify/verification.ts'
import type { Ledger } from '../ports/ledger.ts'

/** The command that a run is being verified with. */
export interface Verifying extends VerifyCommand {
  readonly startedAt: number
}

/** undefined: none runs. */
export function verifyingNow({ verify }: Pick<Ledger, 'verify'>, { id, phase }: Run): Verifying | undefined {
  const running = phase === 'checking' ? verify.runningOf(id) : undefined
  return running && { name: running.name, command: running.command, startedAt: running.startedAt }
}
