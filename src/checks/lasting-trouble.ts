import { isOfTheMachine } from '../domain/run/machine-trouble.ts'
import { AppError } from '../errors.ts'
import { CannotLook } from '../platform/git/look.ts'

/** In git's words: the machine lacks something, and a later try may succeed. Of a full disk it may say no more than what it could not write. */
const OF_THE_MACHINE =
  /No space left on device|unable to write file|Disk quota exceeded|Cannot allocate memory|Too many open files|Resource temporarily unavailable|Input\/output error|Read-only file system/

/**
 * The result, or why there is none and none will be, however often it is tried: git refuses the repository, or a file may not
 * be read. An agent can cause that, and only a person can decide about it. Trouble of the machine is thrown: it passes.
 */
export async function orLastingTrouble<T>(work: () => Promise<T>): Promise<{ result: T } | { why: string }> {
  try {
    return { result: await work() }
  } catch (error) {
    if (!(error instanceof Error) || !isLasting(error)) throw error
    return { why: error.message }
  }
}

function isLasting(error: Error): boolean {
  if (error instanceof CannotLook) return false
  const isTold = error instanceof AppError
  const code = ((isTold ? error.cause : error) as NodeJS.ErrnoException | undefined)?.code
  if (typeof code === 'string') return !isOfTheMachine({ code, step: 'files', homeIsWritable: () => true })
  return isTold && !OF_THE_MACHINE.test(error.message)
}
