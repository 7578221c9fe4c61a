import { isAbsolute, join } from 'node:path'
import { lookingEnvironment } from '../../domain/agent/git-environment.ts'
import { beginningOf } from '../files/beginning-of.ts'
import { isTaken } from '../files/folder.ts'
import { isSameEntry } from '../files/same-folder.ts'
import { exec } from '../process/exec.ts'
import type { Checkout } from './checkout.ts'
import { type Setting, settingsIn } from './config-text.ts'
import { gitProgram } from './program.ts'

type Settings = ReadonlyMap<string, string>

/**
 * The settings of a repository and its user that fleet's own looks take over: they say how files are compared and shown.
 * None names a program, and git gets no other.
 */
const TAKEN_OVER = new Set(
  [
    ...['filemode', 'symlinks', 'ignorecase', 'precomposeunicode', 'trustctime', 'checkstat', 'autocrlf', 'eol'],
    ...['sparsecheckout', 'sparsecheckoutcone', 'quotepath', 'abbrev'],
  ]
    .map((name) => `core.${name}`)
    .concat(
      [
        ...['noprefix', 'mnemonicprefix', 'srcprefix', 'dstprefix', 'algorithm', 'context', 'interhunkcontext'],
        ...['renames', 'renamelimit', 'indentheuristic', 'suppressblankempty'],
      ].map((name) => `diff.${name}`),
    ),
)

/** Without them git cannot read the objects and branches of a repository. */
const FORMAT = new Map([
  ['extensions.objectformat', /^sha(1|256)$/],
  ['extensions.refstorage', /^(files|reftable)$/],
])

/** Lists of names and attributes, which start nothing; by default in the user's folder of git. */
const FILES = new Map([
  ['core.excludesfile', 'ignore'],
  ['core.attributesfile', 'attributes'],
])

const CONFIG_BYTES = 1 << 20

/**
 * The settings in a repository's own configuration. An included file does not count. Whether case is ignored is a fact: a
 * repository may come from another machine, and with the wrong word for it git would take two files for one.
 */
export function repositorySettings(checkout: Checkout): Settings {
  const paths = [join(checkout.commonFolder, 'config'), join(checkout.gitFolder, 'config.worktree')]
  const told = paths.flatMap((path) => settingsIn(beginningOf(path, CONFIG_BYTES) ?? ''))
  return new Map([...told, ['core.ignorecase', String(ignoresCase(checkout))]])
}

function ignoresCase({ root, gitFolder }: Checkout): boolean {
  const [folder, name] = isTaken(join(root, '.git')) ? [root, '.git'] : [gitFolder, 'HEAD']
  const swapped = name === 'HEAD' ? 'head' : '.GIT'
  return isTaken(join(folder, swapped)) && isSameEntry(join(folder, name), join(folder, swapped))
}

/**
 * Whether only linked worktrees of a repository have files. An agent could say so of a checkout that a person works in; but that
 * has an index.
 */
export function isBare(checkout: Checkout): boolean {
  const { gitFolder, commonFolder } = checkout
  if (gitFolder !== commonFolder || isTaken(join(gitFolder, 'index'))) return false
  return /^(true|yes|on|1)$/i.test(repositorySettings(checkout).get('core.bare') ?? '')
}

/** Which of its files a checkout has: linked worktrees differ in it. */
export function sparseSettings(checkout: Checkout): Setting[] {
  const own = repositorySettings(checkout)
  return ['core.sparsecheckout', 'core.sparsecheckoutcone'].map((key) => [key, own.get(key) ?? 'false'])
}

/** The whole configuration with which fleet looks at a checkout. */
export function lookingSettings(own: Settings, user: Settings, env: NodeJS.ProcessEnv): Setting[] {
  const taken = [...user, ...own].filter(([key]) => TAKEN_OVER.has(key))
  const format = [...own].filter(([key, value]) => FORMAT.get(key)?.test(value.toLowerCase()))
  const files = [...FILES].flatMap(([key, name]) => {
    const path = listFile(own.get(key) ?? user.get(key), name, env)
    return path === undefined ? [] : [[key, path] as const]
  })
  return [
    ['core.repositoryformatversion', format.length === 0 ? '0' : '1'],
    ...format,
    ...taken,
    ...files,
    ['core.bare', 'false'],
    ['core.fsmonitor', 'false'],
    // An agent could have written a cache that hides files.
    ['core.untrackedcache', 'false'],
    ['core.hookspath', '/dev/null'],
    // Git would start itself in a submodule, with the configuration there.
    ['diff.ignoresubmodules', 'dirty'],
    ['submodule.recurse', 'false'],
  ]
}

/** For the update of fleet's own clone. The rest is the user's: keys, credential helpers, filters such as git-lfs. */
export function updatingSettings(own: Settings, remote: string): Setting[] {
  return [
    ...lookingSettings(own, new Map(), {}),
    ['remote.origin.url', remote],
    ['remote.origin.fetch', '+refs/heads/*:refs/remotes/origin/*'],
    // It would go on in the background, in a folder that is gone.
    ['maintenance.auto', 'false'],
    ['gc.auto', '0'],
  ]
}

function listFile(given: string | undefined, name: string, env: NodeJS.ProcessEnv): string | undefined {
  const home = env['HOME'] ?? ''
  const folder = env['XDG_CONFIG_HOME'] || join(home, '.config')
  const path = given === undefined ? join(folder, 'git', name) : given.replace(/^~(?=\/)/, home)
  return isAbsolute(path) ? path : undefined
}

const FRESH_MS = 60_000
const LIMITS = { timeoutMs: 5000, maxBytes: 1 << 20 }
const known = new Map<string, { readonly at: number; readonly settings: Promise<Settings> }>()

/**
 * The settings of the user and the system. Listing them starts no program, and an included file counts. A supervisor looks
 * often, so they are kept for a minute.
 */
export async function userSettings(env: NodeJS.ProcessEnv, project: string): Promise<Settings> {
  const given = configuring(env)
  const key = JSON.stringify(given)
  const before = known.get(key)
  if (before !== undefined && performance.now() - before.at < FRESH_MS) return await before.settings
  // Without a repository: its configuration must not count here.
  const settings = listed(gitProgram(env, project), env, '/dev/null').then((all) => all ?? new Map())
  known.set(key, { at: performance.now(), settings })
  return await settings
}

/**
 * The same as they count in one repository, with what `includeIf` adds there. Those of the repository itself are left out, and
 * cannot hide these: if its configuration cannot be read, only the conditions are lost.
 */
export async function userSettingsIn({ root, commonFolder }: Checkout, env: NodeJS.ProcessEnv): Promise<Settings> {
  return (await listed(gitProgram(env, root), env, commonFolder)) ?? (await userSettings(env, root))
}

function configuring(env: NodeJS.ProcessEnv): [string, string | undefined][] {
  return Object.entries(env).filter(([name]) => CONFIGURES.test(name))
}

const CONFIGURES = /^(GIT_CONFIG(_.*)?|HOME|XDG_CONFIG_HOME)$/

/** undefined: git cannot read them. */
async function listed(
  program: string | undefined,
  env: NodeJS.ProcessEnv,
  folder: string,
): Promise<Settings | undefined> {
  if (program === undefined) return undefined
  const without = Object.entries(lookingEnvironment(env)).filter(([name]) => !CONFIGURES.test(name))
  const given = { ...Object.fromEntries([...without, ...configuring(env)]), GIT_DIR: folder }
  const argv = ['config', '--list', '-z', '--show-scope']
  const run = await exec(program, { argv, env: given, ...LIMITS })
  if (run.kind !== 'ended' || run.code !== 0) return undefined
  // A scope and a setting, by turns.
  const parts = run.out.toString('utf8').split('\0')
  const settings = new Map<string, string>()
  for (let at = 0; at + 1 < parts.length; at += 2) {
    const [scope = '', text = ''] = [parts[at], parts[at + 1]]
    const end = text.indexOf('\n')
    const [key, value] = end < 0 ? [text, 'true'] : [text.slice(0, end), text.slice(end + 1)]
    if (scope !== 'local' && scope !== 'worktree') settings.set(key, value)
  }
  return settings
}
