import { AppError } from '../../errors.ts'
import type { Execution } from '../../platform/process/exec.ts'
import { freeDisk } from '../../platform/runtime/machine.ts'
import { whyFailed } from '../git.ts'

/** Git does not always say why it cannot write. */
const SCARCE = 256 << 20

/** A full disk is the machine's trouble: the task waits until it is over. */
export function throwIfFull(ran: Execution, folder: string): void {
  const cannotWrite =
    ran.kind === 'ended' &&
    /(unable to|couldn.t|could not) (write|create)|no space left|disk quota|short write/i.test(ran.err)
  if (cannotWrite && freeDisk(folder) < SCARCE)
    throw new AppError('failed', whyFailed(ran), { cause: { code: 'ENOSPC' } })
}
