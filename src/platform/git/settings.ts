import { isAbsolute, join } from 'node:path'
import { lookingEnvironment } from '../../domain/agent/git-environment.ts'
import { beginningOf } from '../files/beginning-of.ts'
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

/** The settings in a repository's own configuration. An included file does not count. */
export function repositorySettings({ gitFolder, commonFolder }: Checkout): Settings {
  const paths = [join(commonFolder, 'config'), join(gitFolder, 'config.worktree')]
  return new Map(paths.flatMap((path) => settingsIn(beginningOf(path, CONFIG_BYTES) ?? '')))
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
  const given = Object.entries(env).filter(([name]) => CONFIGURES.test(name))
  const key = JSON.stringify(given)
  const before = known.get(key)
  if (before !== undefined && performance.now() - before.at < FRESH_MS) return await before.settings
  const settings = listed(gitProgram(env, project), env, Object.fromEntries(given))
  known.set(key, { at: performance.now(), settings })
  return await settings
}

const CONFIGURES = /^(GIT_CONFIG(_.*)?|HOME|XDG_CONFIG_HOME)$/

async function listed(
  program: string | undefined,
  env: NodeJS.ProcessEnv,
  configures: NodeJS.ProcessEnv,
): Promise<Settings> {
  if (program === undefined) return new Map()
  const without = Object.entries(lookingEnvironment(env)).filter(([name]) => !CONFIGURES.test(name))
  // Without a repository: its configuration must not count here.
  const given = { ...Object.fromEntries(without), ...configures, GIT_DIR: '/dev/null' }
  const run = await exec(program, { argv: ['config', '--list', '-z'], env: given, ...LIMITS })
  if (run.kind !== 'ended' || run.code !== 0) return new Map()
  const entries = run.out.toString('utf8').split('\0')
  return new Map(
    entries
      .filter((each) => each !== '')
      .map((each): Setting => {
        const end = each.indexOf('\n')
        return end < 0 ? [each, 'true'] : [each.slice(0, end), each.slice(end + 1)]
      }),
  )
}
