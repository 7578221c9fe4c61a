import { createHash } from 'node:crypto'
import { accessSync, constants, lstatSync, readdirSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { lookingEnvironment } from '../../domain/agent/git-environment.ts'
import type { ChangeTimes } from '../../domain/landing/trust.ts'
import { AppError } from '../../errors.ts'
import { changedTimes } from '../files/agent-file.ts'
import { explainFile } from '../files/files.ts'
import { readRegular } from '../files/regular-file.ts'
import { discardFolder, temporaryFolder } from '../files/temporary-folder.ts'
import { type Execution, exec, whyNotEnded } from '../process/exec.ts'
import type { Checkout } from './checkout.ts'
import type { Setting } from './config-text.ts'
import type { ConfigOwner } from './git-owner.ts'
import { PRIVATE_FOLDER } from './private-folder.ts'
import { gitProgram } from './program.ts'
import { writeUserConfig } from './user-config.ts'

/**
 * All that git would run or obey in a repository for its owner, as values: the settings, the hooks and the attributes. Agents
 * can write to all of it, so what is compared with its fingerprint is also what is used, and nothing is read again.
 */
export interface RepositoryPrograms {
  /** Of the system, the user and the repository, includes resolved. Later ones win. */
  readonly settings: readonly Setting[]
  /** The remotes of branches. Agents set them with every push, so the fingerprint does not cover them. */
  readonly upstreams: readonly Setting[]
  readonly hooks: HooksFolder
  /** `info/attributes`: which files go through which filter. */
  readonly attributes: Buffer | undefined
  readonly fingerprint: string
  /** A hash of each, by a name for people. */
  readonly parts: Readonly<Record<string, string>>
  /** When the files of each kind of part were changed. */
  readonly changedAt: ChangeTimes
}

export interface HooksFolder {
  /** Hooks outside of the repository that an agent cannot write, as in /opt; undefined: those below. */
  readonly elsewhere: string | undefined
  readonly files: readonly HookFile[]
  /** The folder of the hooks among the files. */
  readonly folder: string
  /** The folder that the files lie in; '': there is none. */
  readonly top: string
}

interface HookFile {
  readonly path: string
  readonly mode: number
  readonly bytes: Buffer
}

/** Reads them. It starts no program but git, which only lists settings. Throws AppError if they cannot be read. */
export async function repositoryPrograms(checkout: Checkout, owner: ConfigOwner): Promise<RepositoryPrograms> {
  const listed = await listSettings(checkout, owner)
  const used = listed.filter(({ key }) => !NOT_USED.test(key))
  const settings = used.map(({ key, value }): Setting => [key, value])
  const hooks = hooksOf(checkout, listed.findLast(({ key }) => key === 'core.hookspath')?.value)
  const attributesFile = join(checkout.commonFolder, 'info', 'attributes')
  const attributes = readRegular(attributesFile, ATTRIBUTES_BYTES)
  const own = used.filter(({ isOwn, key }) => isOwn && !OF_NO_CONSEQUENCE.test(key))
  const fingerprint = fingerprintOf(own, hooks, attributes)
  const upstreams = listed.filter(({ key }) => UPSTREAM.test(key)).map(({ key, value }): Setting => [key, value])
  const changedAt = {
    settings: timesOf([
      join(checkout.commonFolder, 'config'),
      join(checkout.gitFolder, 'config.worktree'),
      ...own.map(({ file }) => resolve(checkout.root, file)),
    ]),
    hooks: timesOf([hooks.top, ...hooks.files.map(({ path }) => join(hooks.top, path))]),
    attributes: timesOf([attributesFile, dirname(attributesFile)]),
  }
  return { settings, upstreams, hooks, attributes, fingerprint, parts: partsOf(own, hooks, attributes), changedAt }
}

function timesOf(paths: readonly string[]): readonly number[] {
  return [...new Set(paths)].filter((path) => path !== '').flatMap(changedTimes)
}

const UPSTREAM = /^branch\..*\.(remote|pushremote)$/s

/** Settings that fleet sets itself, or that name things of the real folders. */
const NOT_USED =
  /^(include|includeif|submodule|branch)\.|^core\.(worktree|bare|fsmonitor|hookspath|untrackedcache|splitindex)$|^(gc|maintenance)\.auto$/

/** People and agents change them all the time, and they start nothing. */
const OF_NO_CONSEQUENCE =
  /^(user\.(name|email)|gui\..*|lfs\..*\.access|remote\..*\.gh-resolved|extensions\.worktreeconfig)$/

interface ListedSetting {
  readonly key: string
  readonly value: string
  /** Of the repository itself, not of the user or the system. */
  readonly isOwn: boolean
  /** The file that has it. */
  readonly file: string
}

const LIMITS = { timeoutMs: 10_000, maxBytes: 4 << 20, readsAgentFiles: true }
const CONFIGURES = /^(GIT_CONFIG(_.*)?|HOME|XDG_CONFIG_HOME)$/

async function listSettings(checkout: Checkout, { config }: ConfigOwner): Promise<ListedSetting[]> {
  const { env } = process
  const program = gitProgram(env, checkout.root)
  if (program === undefined) throw new AppError('failed', 'git is not on PATH', { hint: 'install git' })
  const without = Object.entries(lookingEnvironment(env)).filter(([name]) => !CONFIGURES.test(name))
  const configures = Object.entries(env).filter(([name]) => CONFIGURES.test(name))
  const folder = temporaryFolder(PRIVATE_FOLDER)
  let run: Execution
  try {
    const user = writeUserConfig(config(), { folder, env })
    const given = { ...Object.fromEntries([...without, ...configures]), ...user, GIT_DIR: checkout.gitFolder }
    const argv = ['config', '--list', '-z', '--includes', '--show-scope', '--show-origin']
    run = await exec(program, { argv, cwd: checkout.root, env: given, ...LIMITS })
  } finally {
    discardFolder(folder)
  }
  if (run.kind !== 'ended' || run.code !== 0) {
    const why = run.kind === 'ended' ? run.err.trim().split('\n')[0] : whyNotEnded(run)
    throw new AppError('failed', `the configuration of ${checkout.root} cannot be read: ${why}`)
  }
  // A scope, a file and a setting, by turns.
  const parts = run.out.toString('utf8').split('\0')
  const settings: ListedSetting[] = []
  for (let at = 0; at + 2 < parts.length; at += 3) {
    const [scope = '', origin = '', text = ''] = parts.slice(at, at + 3)
    const end = text.indexOf('\n')
    const key = end < 0 ? text : text.slice(0, end)
    const value = end < 0 ? 'true' : text.slice(end + 1)
    settings.push({ key, value, isOwn: scope === 'local' || scope === 'worktree', file: origin.replace(/^file:/, '') })
  }
  return settings
}

const NO_HOOKS: HooksFolder = { elsewhere: undefined, files: [], folder: '', top: '' }

/** Hooks may call scripts beside and above them, so a folder of the project is taken with the one that it lies in. */
function hooksOf({ root, commonFolder }: Checkout, hooksPath: string | undefined): HooksFolder {
  if (hooksPath === undefined || hooksPath === '') {
    const top = join(commonFolder, 'hooks')
    return { ...NO_HOOKS, top, files: filesBelow(top, { deep: false }) }
  }
  const folder = resolve(root, hooksPath.replace(/^~(?=\/|$)/, homedir()))
  if (folder === '/dev/null') return NO_HOOKS
  const isInside = [root, commonFolder].some((each) => folder === each || folder.startsWith(each + sep))
  if (!isInside) {
    return isWritable(folder)
      ? { ...NO_HOOKS, top: folder, files: filesBelow(folder, { deep: true }) }
      : { ...NO_HOOKS, elsewhere: folder }
  }
  const above = dirname(folder)
  const top = above === root || above === commonFolder || !above.startsWith(root + sep) ? folder : above
  try {
    return { elsewhere: undefined, top, files: filesBelow(top, { deep: true }), folder: relative(top, folder) }
  } catch (error) {
    if (top === folder) throw error
    return { elsewhere: undefined, top: folder, files: filesBelow(folder, { deep: true }), folder: '' }
  }
}

/** Also if a user who can write a folder above it could replace it. */
function isWritable(folder: string): boolean {
  const above = dirname(folder) === folder ? [] : [dirname(folder)]
  try {
    accessSync(folder, constants.W_OK)
    return true
  } catch {
    return above.some(isWritable)
  }
}

const ATTRIBUTES_BYTES = 1 << 20

const MOST_FILES = 500
const MOST_BYTES = 8 << 20
const NO_BYTES = Buffer.alloc(0)

function filesBelow(top: string, { deep }: { deep: boolean }): HookFile[] {
  const found: HookFile[] = []
  let bytes = 0
  const walk = (folder: string): void => {
    for (const name of namesIfAny(folder)) {
      const path = join(folder, name)
      const entry = statSync(path, { throwIfNoEntry: false })
      if (entry?.isDirectory() === true && deep && !lstatSync(path).isSymbolicLink()) walk(path)
      if (entry?.isFile() !== true || (!deep && name.endsWith('.sample'))) continue
      bytes += entry.size
      if (found.length >= MOST_FILES || bytes > MOST_BYTES) {
        throw new AppError('failed', `${top} holds more than fleet takes for hooks`, {
          hint: 'give core.hooksPath a folder of its own',
        })
      }
      found.push({
        path: relative(top, path),
        mode: entry.mode & 0o777,
        bytes: readRegular(path, MOST_BYTES) ?? NO_BYTES,
      })
    }
  }
  try {
    walk(top)
  } catch (error) {
    throw error instanceof AppError ? error : explainFile(error, top)
  }
  return found.sort((a, b) => (a.path < b.path ? -1 : 1))
}

function namesIfAny(folder: string): string[] {
  return statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true ? readdirSync(folder) : []
}

function fingerprintOf(
  settings: readonly ListedSetting[],
  { elsewhere, files, folder }: HooksFolder,
  attributes: Buffer | undefined,
): string {
  const hash = createHash('sha256')
  const add = (...parts: readonly (string | Buffer)[]): void => {
    for (const part of parts) hash.update(`${Buffer.byteLength(part)}:`).update(part)
  }
  for (const { key, value } of settings) add('setting', key, value)
  add('hooks', elsewhere ?? '', folder)
  for (const { path, mode, bytes } of files) add('hook', path, String(mode), bytes)
  add('attributes', attributes ?? '')
  return hash.digest('hex')
}

function partsOf(
  settings: readonly ListedSetting[],
  { elsewhere, files }: HooksFolder,
  attributes: Buffer | undefined,
): Record<string, string> {
  const parts = new Map<string, string>()
  const add = (name: string, value: string | Buffer): void => {
    const hash = createHash('sha256').update(parts.get(name) ?? '')
    parts.set(name, hash.update(value).digest('hex').slice(0, 16))
  }
  for (const { key, value } of settings) add(`setting ${key}`, value)
  if (elsewhere !== undefined) add('folder of the hooks', elsewhere)
  for (const { path, mode, bytes } of files) {
    add(`hook ${path}`, String(mode))
    add(`hook ${path}`, bytes)
  }
  if (attributes !== undefined) add('info/attributes', attributes)
  return Object.fromEntries(parts)
}
