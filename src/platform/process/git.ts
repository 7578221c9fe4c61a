import { gitEnvironment } from '../../domain/agent/git-environment.ts'
import { AppError } from '../../errors.ts'
import { type ExecOptions, type Execution, exec, whyNotEnded } from './exec.ts'
import { findProgram } from './program.ts'

/** No pager, and none of the programs that a repository's own settings could name: monitor, hooks, signature check. */
const QUIET = [
  '--no-pager',
  ...['core.fsmonitor=false', 'core.hooksPath=/dev/null', 'log.showSignature=false'].flatMap((set) => ['-c', set]),
]

/** Git with fleet's settings, in the environment that `gitEnvironment` makes of `env`. */
export async function git(argv: readonly string[], options: Omit<ExecOptions, 'argv'>): Promise<Execution> {
  const env = gitEnvironment(options.env ?? process.env)
  const run = await exec('git', { ...options, argv: [...QUIET, ...argv], env })
  if (run.kind !== 'not-started' || findProgram('git', env) !== undefined) return run
  return { kind: 'not-started', why: 'it is not on PATH; install git' }
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
