import { gitEnvironment } from '../../domain/agent/git-environment.ts'
import { AppError } from '../../errors.ts'
import { type ExecOptions, type Execution, exec, whyNotEnded } from './exec.ts'

/** No pager, and none of the programs that a repository's own settings could name: monitor, hooks, signature check. */
const QUIET = [
  '--no-pager',
  ...['core.fsmonitor=false', 'core.hooksPath=/dev/null', 'log.showSignature=false'].flatMap((set) => ['-c', set]),
]

/** Git with fleet's settings, in the environment that `gitEnvironment` makes of `env`. */
export function git(argv: readonly string[], options: Omit<ExecOptions, 'argv'>): Promise<Execution> {
  return exec('git', { ...options, argv: [...QUIET, ...argv], env: gitEnvironment(options.env ?? process.env) })
}

/** A reading git command, its output in pieces as it comes. Throws AppError if it fails. */
export async function readGit(
  argv: readonly string[],
  options: {
    readonly env: NodeJS.ProcessEnv
    readonly take: (bytes: Uint8Array) => void
    /** Exit statuses that are no failure; by default 0 alone. */
    readonly accepts?: readonly number[]
  },
): Promise<void> {
  const { accepts = [0], ...how } = options
  const run = await git(argv, how)
  if (run.kind !== 'ended') throw new AppError('failed', `git ${whyNotEnded(run)}`)
  if (run.code === null || !accepts.includes(run.code))
    throw new AppError('failed', `git failed: ${firstWords(run.err) || `exit status ${run.code}`}`)
}

function firstWords(text: string): string {
  return text.slice(0, 4096).trim()
}
