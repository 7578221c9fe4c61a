import { lookingEnvironment } from '../../domain/agent/git-environment.ts'
import { isOfTheMachine } from '../../domain/run/machine-trouble.ts'
import { AppError } from '../../errors.ts'
import { discardFolder } from '../files/temporary-folder.ts'
import { type ExecOptions, type Execution, exec, whyNotEnded } from '../process/exec.ts'
import type { Checkout } from './checkout.ts'
import { makePrivateFolder, shareIndex } from './private-folder.ts'
import { gitProgram } from './program.ts'
import { lookingSettings, repositorySettings, userSettings } from './settings.ts'

/** Runs a git command that reads, in the top folder of a checkout. */
export type LookingGit = (argv: readonly string[], options?: LookOptions) => Promise<Execution>
export interface LookOptions extends Pick<ExecOptions, 'timeoutMs' | 'maxBytes' | 'take' | 'input'> {
  /** An index of the caller's own, in a folder of its own, which git may write. Absent: the repository's, which stays as it is. */
  readonly index?: string
}

const LIMITS = { timeoutMs: 10_000, maxBytes: 16 << 20, readsAgentFiles: true }

/**
 * The one way in which fleet looks at a repository: git sees its files, objects, branches and index, and nothing of its
 * configuration, hooks and filters, so it starts no program; the environment holds no secret; nothing is written. `work` may
 * call git as often as it likes, at the same time too. Throws AppError for a repository that is damaged.
 */
export async function looking<T>(
  checkout: Checkout,
  env: NodeJS.ProcessEnv,
  work: (git: LookingGit) => Promise<T>,
): Promise<T> {
  const program = gitProgram(env, checkout.root)
  if (program === undefined) return await work(async () => NO_GIT)
  const settings = lookingSettings(repositorySettings(checkout), await userSettings(env, checkout.root), env)
  const folder = makePrivateFolder(checkout, settings)
  let hasIndex = false
  try {
    const given = { ...lookingEnvironment(env), GIT_DIR: folder, GIT_WORK_TREE: checkout.root }
    return await work(async (argv, { index, ...options } = {}) => {
      if (!hasIndex && index === undefined && !OF_HISTORY.has(argv[0] ?? '')) {
        shareIndex(checkout, folder)
        hasIndex = true
      }
      return begun(
        await exec(program, {
          ...LIMITS,
          ...options,
          argv: ['--no-pager', '-C', checkout.root, ...argv],
          env: index === undefined ? given : { ...given, GIT_INDEX_FILE: index },
        }),
      )
    })
  } finally {
    discardFolder(folder)
  }
}

/** Commands that read commits and branches alone: they need no index. */
const OF_HISTORY: ReadonlySet<string> = new Set(['rev-list', 'merge-base', 'for-each-ref'])

/** The machine cannot run any program now, which says nothing about the checkout: the caller tries again later. */
export class CannotLook extends AppError {}

function begun(run: Execution): Execution {
  if (run.kind !== 'not-started') return run
  if (!isOfTheMachine({ code: run.code, step: 'files', homeIsWritable: () => true })) return run
  throw new CannotLook('failed', `git ${whyNotEnded(run)}`, { cause: { code: run.code } })
}

const NO_GIT: Execution = { kind: 'not-started', why: 'it is not on PATH; install git' }

/** The output in pieces as it comes. Throws AppError if the command fails. */
export async function readGit(
  git: LookingGit,
  argv: readonly string[],
  options: LookOptions & {
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
