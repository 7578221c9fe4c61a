import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { gitEnvironment } from '../../domain/agent/git-environment.ts'
import { AppError } from '../../errors.ts'
import { explainFile } from '../files/files.ts'
import { discardFolder } from '../files/temporary-folder.ts'
import { type ExecOptions, type Execution, exec } from '../process/exec.ts'
import { processors } from '../runtime/machine.ts'
import type { Checkout } from './checkout.ts'
import { configText, type Setting } from './config-text.ts'
import { earlyHooks, type FailedHook, failedHooks, NOTED, notedHooks, runHook } from './hooks.ts'
import { configFolder, makePrivateFolder, makeSeparateFolder } from './private-folder.ts'
import { gitProgram } from './program.ts'
import type { RepositoryPrograms } from './repository-programs.ts'
import { sparseSettings } from './settings.ts'

/** Runs a git command as the owner of the repository would. */
export type OwnerGit = (argv: readonly string[], options?: OwnerOptions) => Promise<Execution>
export interface OwnerOptions
  extends Pick<ExecOptions, 'timeoutMs' | 'signal' | 'input' | 'take' | 'maxBytes' | 'started'> {
  /** In place of the checkout's own. */
  readonly index?: string
}

/** Further means while `ownerGit` works. */
export interface OwnerParts {
  /** The private folder. */
  readonly folder: string
  /** Runs a hook as git does. Its exit status does not count. */
  hook(name: string, argv: readonly string[]): Promise<void>
  /** Arguments for a git command that runs no hook but those that watch refs and the index. */
  readonly withoutLateHooks: readonly string[]
  /** The hooks that have failed until now. */
  failedHooks(): readonly FailedHook[]
}

/**
 * Git with the hooks, filters and settings of a repository as they were read into `programs`, and with nothing that stands
 * in the repository by now: it works on a private folder over the repository's objects and refs.
 *
 * `tree`: a work tree of its own, detached; without it, the checkout's own index and work tree, and its HEAD.
 */
export interface OwnerGitPlace {
  readonly checkout: Checkout
  readonly programs: RepositoryPrograms
  readonly env: NodeJS.ProcessEnv
  readonly tree?: { readonly path: string; readonly gitFolder: string; readonly at: string }
  /** Ends git and its hooks and filters at once. */
  readonly signal?: AbortSignal | undefined
}

export async function ownerGit<T>(
  place: OwnerGitPlace,
  work: (git: OwnerGit, parts: OwnerParts) => Promise<T>,
): Promise<T> {
  const { checkout, env, tree, signal } = place
  const limits = { ...LIMITS, ...(signal && { signal }) }
  const folder = openFolder(place)
  const program = gitProgram(env, checkout.root)
  const given = {
    ...gitEnvironment(env),
    ...NOT_INTERACTIVE,
    GIT_DIR: folder,
    GIT_WORK_TREE: tree?.path ?? checkout.root,
    ...(tree === undefined && { GIT_INDEX_FILE: `${checkout.gitFolder}/index` }),
  }
  const cwd = tree?.path ?? checkout.root
  const git: OwnerGit = async (argv, { index, ...options } = {}) => {
    if (program === undefined) return { kind: 'not-started', why: 'it is not on PATH; install git' }
    const env = index === undefined ? given : { ...given, GIT_INDEX_FILE: index }
    return await exec(program, { ...limits, ...options, argv: ['--no-pager', ...argv], cwd, env })
  }
  const hooks = join(folder, NOTED)
  try {
    return await work(git, {
      folder,
      hook: (name, argv) => runHook(join(hooks, name), { ...limits, argv, cwd, env: given }),
      get withoutLateHooks() {
        return ['-c', `core.hooksPath=${earlyHooks(hooks, folder)}`]
      },
      failedHooks: () => failedHooks(folder),
    })
  } finally {
    if (tree === undefined) discardFolder(folder)
  }
}

/**
 * A hook of the project may run its tests. A command that is ended gets time to take its locks back, and one that moves a
 * branch goes on when a Ctrl-C ends fleet.
 */
const LIMITS = { timeoutMs: 10 * 60_000, graceMs: 5000, ownGroup: true, maxBytes: 64 << 20 }

/** The settings were listed once, for the real folder: a condition on the folder would not hold for the private one. */
const NOT_INTERACTIVE = {
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_EDITOR: ':',
  GIT_SEQUENCE_EDITOR: ':',
  GIT_MERGE_AUTOEDIT: 'no',
  // An agent could put another commit in the place of the one that was checked.
  GIT_NO_REPLACE_OBJECTS: '1',
}

function openFolder({ checkout, programs, tree }: OwnerGitPlace): string {
  if (tree === undefined) {
    const folder = makePrivateFolder(checkout, [])
    put(programs, { folder, common: configFolder(folder, checkout), more: sparseSettings(checkout) })
    return folder
  }
  const primary: Checkout = { ...checkout, gitFolder: checkout.commonFolder }
  try {
    const folder = makeSeparateFolder(tree.gitFolder, primary)
    writeFileSync(join(folder, 'HEAD'), `${tree.at}\n`)
    mkdirSync(tree.path, { recursive: true, mode: 0o700 })
    writeFileSync(join(tree.path, '.git'), `gitdir: ${folder}\n`)
    put({ ...programs, settings: [...workers(), ...programs.settings] }, { folder, common: folder })
    return folder
  } catch (error) {
    throw error instanceof AppError ? error : explainFile(error, tree.gitFolder)
  }
}

/**
 * Processes that write the files of a throw-away tree side by side, unless the user says how many. More of them would wait for
 * the disk. In a person's checkout one alone writes, in an order that can be undone.
 */
const MOST_WORKERS = 4

function workers(): Setting[] {
  return [['checkout.workers', String(Math.min(processors(), MOST_WORKERS))]]
}

/** Configuration, hooks and attributes, where git looks for them in a private folder. */
function put(
  { settings, hooks, attributes }: RepositoryPrograms,
  { folder, common, more = [] }: { folder: string; common: string; more?: readonly Setting[] },
): void {
  const hooksFolder = join(folder, 'fleet-hooks')
  try {
    for (const { path, mode, bytes } of hooks.files) {
      const to = join(hooksFolder, path)
      mkdirSync(dirname(to), { recursive: true, mode: 0o700 })
      writeFileSync(to, bytes)
      chmodSync(to, mode | 0o600)
    }
    const forced: readonly Setting[] = [
      ['core.bare', 'false'],
      ['core.fsmonitor', 'false'],
      ['core.untrackedcache', 'false'],
      ['core.hookspath', notedHooks(hooks.elsewhere ?? join(hooksFolder, hooks.folder), folder)],
      ['core.splitindex', 'false'],
      ['gc.auto', '0'],
      ['maintenance.auto', 'false'],
      ['submodule.recurse', 'false'],
      ['advice.detachedhead', 'false'],
    ]
    writeFileSync(join(common, 'config'), configText([...settings, ...more, ...forced]))
    rmSync(join(common, 'info', 'attributes'), { force: true })
    if (attributes !== undefined) writeFileSync(join(common, 'info', 'attributes'), attributes)
  } catch (error) {
    throw explainFile(error, folder)
  }
}
