import { CannotLook, type LookingGit } from './look.ts'

/** The second is for disks and machines that are slow at the moment. */
export const PATIENCE_MS: readonly number[] = [60_000, 600_000]

/**
 * For looks that decide what becomes of work: a slow git must not make them say less. Throws CannotLook for a command that
 * does not end at all.
 */
export function patient(git: LookingGit): LookingGit {
  return async (argv, options = {}) => {
    for (const timeoutMs of PATIENCE_MS) {
      const run = await git(argv, { maxBytes: MOST_BYTES, ...options, timeoutMs })
      if (run.kind !== 'timed-out') return run
    }
    throw tooSlow(argv[0] ?? '')
  }
}

/** Less than the longest text that there can be. */
const MOST_BYTES = 256 << 20

export function tooSlow(command: string): CannotLook {
  const minutes = Math.round((PATIENCE_MS.at(-1) ?? 0) / 60_000)
  return new CannotLook('failed', `git ${command} took longer than ${minutes} minutes`)
}
