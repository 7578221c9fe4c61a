import { join } from 'node:path'
import { gitEnvironment, lookingEnvironment } from '../../domain/agent/git-environment.ts'
import { copyIndex, isPlainFile } from '../files/folder.ts'
import { discardFolder } from '../files/temporary-folder.ts'
import { type ExecOptions, type Execution, exec } from '../process/exec.ts'
import type { Checkout } from './checkout.ts'
import type { Setting } from './config-text.ts'
import type { GitOwner } from './git-owner.ts'
import { makePrivateFolder } from './private-folder.ts'
import { gitProgram } from './program.ts'
import { lookingSettings, repositorySettings, updatingSettings } from './settings.ts'
import { writeUserConfig } from './user-config.ts'

/** Runs a git command that writes. */
export type WritingGit = (argv: readonly string[], options?: WriteOptions) => Promise<Execution>

type WriteOptions = Pick<ExecOptions, 'timeoutMs' | 'signal' | 'input'>

const MAX_BYTES = 1 << 20
const QUIET = ['--no-pager', '-c', 'core.fsmonitor=false', '-c', 'core.hooksPath=/dev/null']

/** Git for a repository that does not exist yet, so no agent can have configured it. */
export function writing(env: NodeJS.ProcessEnv): WritingGit {
  return async (argv, options = {}) => await run(argv, gitEnvironment(env), options)
}

/** The same with the owner's configuration alone, which is written into this folder. */
export function writingFor(owner: GitOwner, folder: string): WritingGit {
  return writing(ownerEnvironment(owner, folder))
}

function ownerEnvironment({ config, env }: GitOwner, folder: string): NodeJS.ProcessEnv {
  return { ...env, ...writeUserConfig(config(), { folder: join(folder, 'fleet-user'), env }) }
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

/** Git for a repository in which agents work. */
export interface RepositoryGit {
  readonly git: WritingGit
  /** Its index: a copy of `index`, or none yet. The caller puts it in place. */
  readonly index: string
}

/**
 * Git for a repository in which agents work, and the files of one working tree: with nothing of the repository's configuration
 * and hooks. It works on an index of its own. `owner`: whose configuration and filters count; absent: nobody's, and git starts
 * no program.
 */
export async function writingIn<T>(
  { checkout, owner, index }: { checkout: Checkout; owner?: GitOwner; index?: string },
  work: (how: RepositoryGit) => Promise<T>,
): Promise<T> {
  const settings = lookingSettings(repositorySettings(checkout), new Map(), {})
  const folder = makePrivateFolder(checkout, [...settings, ...IN_REPOSITORY])
  const own = `${folder}/fleet-index`
  try {
    const given = {
      ...(owner === undefined ? lookingEnvironment(process.env) : gitEnvironment(ownerEnvironment(owner, folder))),
      GIT_DIR: folder,
      GIT_WORK_TREE: checkout.root,
      GIT_INDEX_FILE: own,
      GIT_NO_LAZY_FETCH: '1',
      GIT_NO_REPLACE_OBJECTS: '1',
      // A file that git-lfs has to fetch stays a pointer.
      GIT_LFS_SKIP_SMUDGE: '1',
    }
    if (index !== undefined && isPlainFile(index)) copyIndex(index, own)
    const git: WritingGit = (argv, options = {}) => run(['-C', checkout.root, ...argv], given, options, checkout.root)
    return await work({ git, index: own })
  } finally {
    discardFolder(folder)
  }
}

const IN_REPOSITORY: readonly Setting[] = [
  ['maintenance.auto', 'false'],
  ['gc.auto', '0'],
  ['core.splitindex', 'false'],
  ['core.logallrefupdates', 'always'],
]

async function run(
  argv: readonly string[],
  env: NodeJS.ProcessEnv,
  options: WriteOptions,
  project?: string,
): Promise<Execution> {
  const program = gitProgram(process.env, project)
  if (program === undefined) return { kind: 'not-started', why: 'it is not on PATH; install git' }
  return await exec(program, { ...options, readsAgentFiles: true, maxBytes: MAX_BYTES, argv: [...QUIET, ...argv], env })
}
