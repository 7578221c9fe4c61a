import { AppError } from '../errors.ts'
import type { LookingGit, LookOptions } from '../platform/git/look.ts'
import { whyNotEnded } from '../platform/process/exec.ts'

/** Settings of the repository with which it could call a changed file unchanged. */
export const STRICT = [
  ...['core.filemode=true', 'core.symlinks=true', 'core.ignorecase=false'],
  ...['core.autocrlf=false', 'core.sparsecheckout=false'],
].flatMap((setting) => ['-c', setting])

/** Every file is read and hashed. */
export const HASH_MS = 120_000

/** The output of a command that must succeed. */
export async function outputOf(git: LookingGit, argv: readonly string[], options: LookOptions = {}): Promise<string> {
  return await plainOutputOf(git, [...STRICT, ...argv], options)
}

/** The same with the settings of the repository. */
export async function plainOutputOf(
  git: LookingGit,
  argv: readonly string[],
  options: LookOptions = {},
): Promise<string> {
  const run = await git(argv, options)
  if (run.kind === 'ended' && run.code === 0) return run.out.toString('utf8')
  const why = run.kind === 'ended' ? run.err.trim().slice(0, 300) : whyNotEnded(run)
  throw new AppError('failed', `git ${commandIn(argv)} failed: ${why}`)
}

export interface Differences {
  /** Paths that differ from the commit, new ones included. */
  readonly changed: readonly string[]
  /** The paths that git ignores; a folder is one path that ends in `/`. */
  readonly ignored: readonly string[]
}

/** How the files of a checkout differ from its HEAD, each read again: by an index that nobody else has written. */
export async function differences(git: LookingGit, index: string): Promise<Differences> {
  await newIndex(git, index)
  return { changed: await changedPaths(git, index), ignored: await ignoredPaths(git, index) }
}

/** An index of HEAD that knows no file of the checkout. */
export async function newIndex(git: LookingGit, index: string): Promise<void> {
  await outputOf(git, ['read-tree', (await headOf(git)) ?? '--empty'], { index })
}

/** undefined: there is no commit yet, or a new branch has none. */
export async function headOf(git: LookingGit): Promise<string | undefined> {
  const run = await git(['rev-parse', '--verify', '--quiet', 'HEAD^{commit}'])
  return run.kind === 'ended' && run.code === 0 ? run.out.toString('utf8').trim() : undefined
}

/** By a new index: reads every file. */
export async function changedPaths(git: LookingGit, index: string): Promise<readonly string[]> {
  const how = ['--porcelain=v2', '-z', '--untracked-files=all', '--no-renames', '--ignore-submodules=none']
  const status = await outputOf(git, ['status', ...how], { index, timeoutMs: HASH_MS })
  return namesIn(status).map((record) =>
    record
      .split(' ')
      .slice(WORDS[record[0] ?? ''] ?? 8)
      .join(' '),
  )
}

/** Reads folders alone. */
export async function ignoredPaths(git: LookingGit, index: string): Promise<readonly string[]> {
  const others = ['ls-files', '--others', '--ignored', '--exclude-standard', '--directory', '-z']
  return namesIn(await outputOf(git, others, { index, timeoutMs: HASH_MS }))
}

export function namesIn(text: string): readonly string[] {
  return text.split('\0').filter((each) => each !== '')
}

/** Words before the path, by the kind of a record. */
const WORDS: Readonly<Record<string, number>> = { '1': 8, u: 10, '?': 1 }

/** The paths of submodules: the tree has their commits alone. */
export async function submodulePaths(git: LookingGit): Promise<readonly string[]> {
  const head = await headOf(git)
  if (head === undefined) return []
  const entries = (await outputOf(git, ['ls-tree', '-r', '-z', head])).split('\0')
  return entries.filter((entry) => entry.startsWith('160000 ')).map((entry) => entry.slice(entry.indexOf('\t') + 1))
}

function commandIn(argv: readonly string[]): string {
  const at = argv.findIndex((word, i) => !word.startsWith('-') && argv[i - 1] !== '-c')
  return argv[at] ?? ''
}

/** A large repository has a million files. */
export const LONG_LIST = { maxBytes: 256 << 20, timeoutMs: HASH_MS } as const
