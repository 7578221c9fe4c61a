import { gitEnvironment } from '../../domain/agent/git-environment.ts'
import { discardFolder } from '../files/temporary-folder.ts'
import { type ExecOptions, type Execution, exec } from '../process/exec.ts'
import type { Checkout } from './checkout.ts'
import { makePrivateFolder } from './private-folder.ts'
import { gitProgram } from './program.ts'
import { repositorySettings, updatingSettings } from './settings.ts'

/** Runs a git command that writes. */
export type WritingGit = (
  argv: readonly string[],
  options?: Pick<ExecOptions, 'timeoutMs' | 'signal'>,
) => Promise<Execution>

const MAX_BYTES = 1 << 20
const QUIET = ['--no-pager', '-c', 'core.fsmonitor=false', '-c', 'core.hooksPath=/dev/null']

/** Git for a repository that does not exist yet, so no agent can have configured it. */
export function writing(env: NodeJS.ProcessEnv): WritingGit {
  return async (argv, options = {}) => await run(argv, gitEnvironment(env), options)
}

/**
 * Git for fleet's own clone of `remote`, in which agents have worked: with the user's keys, credential helpers and filters,
 * and nothing of the clone's configuration and hooks.
 */
export async function updating<T>(
  { checkout, remote, env }: { checkout: Checkout; remote: string; env: NodeJS.ProcessEnv },
  work: (git: WritingGit) => Promise<T>,
): Promise<T> {
  const folder = makePrivateFolder(checkout, updatingSettings(repositorySettings(checkout), remote))
  const given = {
    ...gitEnvironment(env),
    GIT_DIR: folder,
    GIT_WORK_TREE: checkout.root,
    GIT_INDEX_FILE: `${checkout.gitFolder}/index`,
  }
  try {
    return await work((argv, options = {}) => run(['-C', checkout.root, ...argv], given, options, checkout.root))
  } finally {
    discardFolder(folder)
  }
}

async function run(
  argv: readonly string[],
  env: NodeJS.ProcessEnv,
  options: Pick<ExecOptions, 'timeoutMs' | 'signal'>,
  project?: string,
): Promise<Execution> {
  const program = gitProgram(env, project)
  if (program === undefined) return { kind: 'not-started', why: 'it is not on PATH; install git' }
  return await exec(program, { ...options, maxBytes: MAX_BYTES, argv: [...QUIET, ...argv], env })
}
