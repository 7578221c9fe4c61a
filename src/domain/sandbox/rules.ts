import { basename, dirname, join } from 'node:path'

export type Access = 'read' | 'write' | 'none'

/** What an agent may do at a path and below. The most specific rule holds; of two for one path, the later. */
export interface Rule {
  readonly path: string
  readonly access: Access
  /** Another folder is shown there. */
  readonly from?: string
  /** Other agents and the person use what is there. */
  readonly isShared?: true
  /** Does not take away a right to write, but in a shared place. */
  readonly atLeast?: true
  /** Does only take away the right to write: a link to a hidden place opens nothing. */
  readonly atMost?: true
  /** It holds also before there is anything at the path: an agent must not make it. So it is shown there, and empty. */
  readonly evenIfMissing?: 'folder' | 'file'
}

export interface RepositoryPlaces {
  /** The entry of the checkout that leads to the folders: the only one itself, or a file. */
  readonly entry: string
  /** In which commits and branches are written: that of the checkout, and the one that it shares with other checkouts. */
  readonly folders: readonly string[]
  /** Those of submodules. */
  readonly modules: readonly string[]
  /** Too large to be looked through, so nothing below is written. */
  readonly closed: readonly string[]
}

/** One agent's places. Paths are absolute. */
export interface SandboxPlaces {
  /** The user's home directory. */
  readonly userHome: string
  /** The home directories of others that this user can read; root can. */
  readonly otherHomes: readonly string[]
  readonly fleetHome: string
  /** The folder of its task; its parts below are the only ones that it may write. */
  readonly taskFolder: string
  readonly written: readonly string[]
  readonly temporary: string
  /** The artifacts of the tasks that its task waited for. */
  readonly handedOver: readonly string[]
  /** Where its work is: the checkout, or its directory. */
  readonly tree: string
  readonly repository: RepositoryPlaces | undefined
  /** The coder's own logins, settings and sessions, and those of all other coders. */
  readonly ownStore: readonly string[]
  /** The programs and settings in it. */
  readonly kept: readonly string[]
  readonly otherStores: readonly string[]
  /** Programs that it has to read: fleet's own, and the folders of its PATH. */
  readonly programs: readonly string[]
  readonly write: readonly string[]
  readonly read: readonly string[]
  readonly hide: readonly string[]
}

/** Below a home directory. Logins, keys and what signs in to a person's accounts. */
const SECRETS = [
  '.ssh',
  '.gnupg',
  '.password-store',
  '.netrc',
  '.git-credentials',
  '.config/git/credentials',
  '.aws',
  '.azure',
  '.config/gcloud',
  '.boto',
  '.s3cfg',
  '.oci',
  '.kube',
  '.docker',
  '.config/containers',
  '.config/gh',
  '.config/glab-cli',
  '.config/hub',
  '.config/op',
  '.config/sops',
  '.config/rclone',
  '.config/doctl',
  '.config/hcloud',
  '.fly',
  '.terraform.d',
  '.vault-token',
  '.pypirc',
  '.pgpass',
  '.my.cnf',
  '.cargo/credentials',
  '.cargo/credentials.toml',
  '.npmrc',
  '.m2/settings.xml',
  '.gradle/gradle.properties',
  '.gem/credentials',
  '.terraformrc',
  '.databrickscfg',
  '.cache/huggingface/token',
  '.config/github-copilot',
  '.config/configstore',
  '.config/heroku',
  '.Xauthority',
  '.bash_history',
  '.zsh_history',
  '.psql_history',
  '.mysql_history',
  '.python_history',
  '.node_repl_history',
  '.local/share/keyrings',
  '.mozilla',
  '.config/google-chrome',
  '.config/chromium',
  '.config/BraveSoftware',
  '.config/microsoft-edge',
  'snap/firefox',
  'snap/chromium',
  '.var/app',
  'Library/Cookies',
  'Library/Application Support/Google/Chrome',
  'Library/Application Support/Firefox',
]

/** Below the user's home directory: where package managers keep what they have downloaded. */
const CACHES = [
  '.cache',
  '.npm/_cacache',
  '.npm/_logs',
  '.yarn/cache',
  '.yarn/berry',
  '.pnpm-store',
  '.local/share/pnpm/store',
  '.bun/install/cache',
  '.cargo/registry',
  '.cargo/git',
  'go/pkg',
  '.m2/repository',
  '.gradle/caches',
  '.gradle/daemon',
  '.gradle/native',
  '.nuget/packages',
  '.composer/cache',
  'Library/Caches',
]

/**
 * /run has the sockets of other programs: of docker, of the session, of agents for keys. Whoever reaches them acts outside
 * the sandbox. Names are looked up through what is shown of it.
 */
const SOCKETS = ['/run', '/var/run']
const OTHER_SOCKETS = ['/var/lib/lxd/unix.socket', '/var/snap/lxd/common/lxd/unix.socket']
/** Below the user's home directory. */
const SOCKET_FOLDERS = ['.1password', '.colima', '.orbstack', '.rd', '.lima']
const SHOWN_OF_RUN = [
  '/run/systemd/resolve',
  '/run/resolvconf',
  '/run/NetworkManager/resolv.conf',
  '/run/nscd',
  '/run/current-system',
  '/run/wrappers',
]

/** Everything else can be read, and not written. */
export function sandboxRules(places: SandboxPlaces): readonly Rule[] {
  const { userHome, fleetHome, temporary, tree, repository } = places
  const all = (access: Access, paths: readonly string[]): Rule[] => paths.map((path) => ({ path, access }))
  const shared = (paths: readonly string[]) => paths.map((path): Rule => ({ path, access: 'write', isShared: true }))
  const below = (home: string, paths: readonly string[]) => paths.map((path) => join(home, path))
  return [
    ...['/tmp', '/var/tmp'].map((path): Rule => ({ path, access: 'write', from: temporary })),
    ...all('none', [...SOCKETS, ...OTHER_SOCKETS, ...below(userHome, SOCKET_FOLDERS)]),
    ...all('read', SHOWN_OF_RUN),
    ...shared(below(userHome, CACHES)),
    ...[userHome, ...places.otherHomes].flatMap((home) => all('none', below(home, SECRETS))),
    ...all('none', places.otherStores),
    ...all('none', places.hide),
    ...all('write', [tree]),
    ...(repository === undefined ? [] : repositoryRules(repository)),
    ...shared(places.ownStore),
    ...all('read', places.kept),
    ...all('none', [fleetHome]),
    ...all('read', [places.taskFolder, ...places.handedOver]),
    ...all('write', [...places.written, temporary]),
    ...places.programs.map((path): Rule => ({ path, access: 'read', atLeast: true })),
    ...all('write', places.write),
    ...all('read', places.read),
  ]
}

/**
 * A person's git runs what the configuration and the hooks say, also of submodules. The files of other checkouts lead
 * their git to the folder that has both.
 */
function repositoryRules({ entry, folders, modules, closed }: RepositoryPlaces): Rule[] {
  const read = (path: string, evenIfMissing?: 'folder' | 'file'): Rule => ({
    path,
    access: 'read',
    atMost: true,
    ...(evenIfMissing !== undefined && { evenIfMissing }),
  })
  const shared = folders.at(-1)
  return [
    ...(folders.includes(entry) ? [] : [read(entry)]),
    ...(shared === undefined ? [] : [read(join(shared, 'worktrees'))]),
    ...folders.map((path): Rule => ({ path, access: 'write' })),
    ...[...folders, ...modules].flatMap((folder) => [
      read(join(folder, 'hooks'), folder === shared || modules.includes(folder) ? 'folder' : undefined),
      read(join(folder, 'config')),
      read(join(folder, 'config.worktree'), 'file'),
      read(join(folder, 'commondir')),
    ]),
    ...closed.map((path) => read(path)),
  ]
}

export interface Standing {
  /** Without links. */
  readonly path: string
  readonly kind: 'folder' | 'file'
}

export interface RuleInForce {
  readonly path: string
  readonly access: Access
  readonly from?: string
  readonly kind: 'folder' | 'file'
  readonly isShared?: true
  /** Written as what is around it, but not moved or removed itself. */
  readonly isFixed?: true
}

/**
 * The rules that say something, the outer before the inner: by their paths without links, and without those for places that
 * are not there. Each folder between a closed place and the written one around it is a place of its own: so it cannot be
 * moved away, and another put there instead.
 */
export function inForce(
  rules: readonly Rule[],
  standing: (path: string) => Standing | undefined,
): readonly RuleInForce[] {
  const byPath = new Map<string, RuleInForce & Pick<Rule, 'atLeast' | 'atMost'> & { readonly isMissing: boolean }>()
  for (const { evenIfMissing, path, ...rule } of rules) {
    const there = standing(path)
    const at = there ?? missingPlace(path, evenIfMissing, standing)
    if (at === undefined || (rule.atLeast === true && byPath.get(at.path)?.isShared !== true && byPath.has(at.path)))
      continue
    if (rule.atMost === true && (byPath.get(at.path)?.access ?? 'write') !== 'write') continue
    const isMissing = there === undefined
    byPath.set(at.path, {
      ...rule,
      ...at,
      access: isMissing && rule.access === 'read' ? 'none' : rule.access,
      isMissing,
    })
  }
  const kept: RuleInForce[] = []
  for (const { atLeast, atMost, isMissing, ...rule } of [...byPath.values()].sort(outerFirst)) {
    const around = kept
      .filter(({ path }) => isBelow(path, rule.path))
      .sort(outerFirst)
      .at(-1)
    const access = around?.access ?? 'read'
    const isShown =
      around === undefined ? !MADE_ANEW.some((path) => isBelow(path, rule.path)) : around.from === undefined
    const isSaid = rule.from === undefined && access === rule.access
    if (isShown && (isSaid || (atLeast === true && isOwnPlace(around)))) continue
    if ((isMissing || atMost === true) && access !== 'write') continue
    // Where another folder is shown there is no such file.
    if (rule.access === 'none' && rule.kind === 'file' && around?.from !== undefined) continue
    if (around?.access === 'write' && isShown) kept.push(...foldersBetween(around, rule.path))
    kept.push(rule)
  }
  return kept
}

function isOwnPlace(rule: Pick<RuleInForce, 'access' | 'isShared'> | undefined): boolean {
  return rule?.access === 'write' && rule.isShared !== true
}

function missingPlace(
  path: string,
  kind: Standing['kind'] | undefined,
  standing: (path: string) => Standing | undefined,
): Standing | undefined {
  const folder = kind === undefined ? undefined : standing(dirname(path))
  return kind === undefined || folder?.kind !== 'folder' ? undefined : { path: join(folder.path, basename(path)), kind }
}

function foldersBetween({ path: outer, isShared }: RuleInForce, inner: string): RuleInForce[] {
  const found: RuleInForce[] = []
  for (let path = dirname(inner); path !== outer; path = dirname(path)) {
    found.unshift({ path, access: 'write', kind: 'folder', isFixed: true, ...(isShared && { isShared }) })
  }
  return found
}

function outerFirst(one: RuleInForce, other: RuleInForce): number {
  return depthOf(one.path) - depthOf(other.path) || (one.path < other.path ? -1 : 1)
}

/** Their contents are those of the sandbox. */
const MADE_ANEW = ['/dev', '/proc']

function depthOf(path: string): number {
  return path === '/' ? 0 : path.split('/').length
}

function isBelow(outer: string, inner: string): boolean {
  return inner.startsWith(outer === '/' ? '/' : `${outer}/`)
}
