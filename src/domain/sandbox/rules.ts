import { join } from 'node:path'

export type Access = 'read' | 'write' | 'none'

/** What an agent may do at a path and below. The most specific rule holds; of two for one path, the later. */
export interface Rule {
  readonly path: string
  readonly access: Access
  /** Another folder is shown there. */
  readonly from?: string
  /** Does not take away a right to write. */
  readonly atLeast?: true
  /** It holds also before there is anything at the path: an agent must not make it. */
  readonly evenIfMissing?: true
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
  /** The folders of its repository, in which commits and branches are written. */
  readonly repository: readonly string[]
  /** The coder's own logins, settings and sessions, and those of all other coders. */
  readonly ownStore: readonly string[]
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
  '.cargo/credentials.toml',
  '.local/share/keyrings',
  '.mozilla',
  '.config/google-chrome',
  '.config/chromium',
  'Library/Cookies',
  'Library/Application Support/Google/Chrome',
  'Library/Application Support/Firefox',
]

/** Below the user's home directory: where package managers keep what they have downloaded. */
const CACHES = [
  '.cache',
  '.npm',
  '.yarn',
  '.pnpm-store',
  '.local/share/pnpm',
  '.bun/install/cache',
  '.cargo/registry',
  '.cargo/git',
  'go/pkg',
  '.m2/repository',
  '.gradle',
  '.nuget/packages',
  '.composer/cache',
  'Library/Caches',
]

/**
 * /run has the sockets of other programs: of docker, of the session, of agents for keys. Whoever reaches them acts outside
 * the sandbox. Names are looked up through what is shown of it.
 */
const SOCKETS = ['/run', '/var/run']
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
  const below = (home: string, paths: readonly string[]) => paths.map((path) => join(home, path))
  return [
    ...['/tmp', '/var/tmp'].map((path): Rule => ({ path, access: 'write', from: temporary })),
    ...all('none', SOCKETS),
    ...all('read', SHOWN_OF_RUN),
    ...all('write', below(userHome, CACHES)),
    ...[userHome, ...places.otherHomes].flatMap((home) => all('none', below(home, SECRETS))),
    ...all('none', places.otherStores),
    ...all('none', places.hide),
    ...all('write', [tree, ...repository]),
    ...repository.flatMap(guarded),
    ...all('write', places.ownStore),
    ...all('none', [fleetHome]),
    ...all('read', [places.taskFolder, ...places.handedOver]),
    ...all('write', [...places.written, temporary]),
    ...places.programs.map((path): Rule => ({ path, access: 'read', atLeast: true })),
    ...all('write', places.write),
    ...all('read', places.read),
  ]
}

/** A person's git runs what stands there. The last of the folders is the one that has the hooks of all checkouts. */
function guarded(folder: string, at: number, all: readonly string[]): Rule[] {
  return ['hooks', 'config', 'config.worktree'].map((name) => ({
    path: join(folder, name),
    access: 'read',
    ...(name === 'hooks' && at === all.length - 1 && { evenIfMissing: true }),
  }))
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
}

/**
 * The rules that say something, the outer before the inner: by their paths without links, and without those for places that
 * are not there.
 */
export function inForce(
  rules: readonly Rule[],
  standing: (path: string) => Standing | undefined,
): readonly RuleInForce[] {
  const byPath = new Map<string, RuleInForce & Pick<Rule, 'atLeast'>>()
  for (const { evenIfMissing, path, ...rule } of rules) {
    const there = standing(path)
    if (there === undefined && evenIfMissing !== true) continue
    // A folder that is not there is shown as an empty one, which nobody can fill.
    const at = there ?? { path, kind: 'folder' as const }
    const access = there === undefined && rule.access === 'read' ? 'none' : rule.access
    if (rule.atLeast === true && byPath.has(at.path)) continue
    byPath.set(at.path, { ...rule, ...at, access })
  }
  const outerFirst = [...byPath.values()].sort(
    (a, b) => depthOf(a.path) - depthOf(b.path) || (a.path < b.path ? -1 : 1),
  )
  const kept: RuleInForce[] = []
  for (const { atLeast, ...rule } of outerFirst) {
    const around = kept.findLast(({ path }) => isBelow(path, rule.path))
    const access = around?.access ?? 'read'
    const isShown =
      around === undefined ? !MADE_ANEW.some((path) => isBelow(path, rule.path)) : around.from === undefined
    const isSaid = rule.from === undefined && access === rule.access
    if (isShown && (isSaid || (atLeast === true && access === 'write'))) continue
    kept.push(rule)
  }
  return kept
}

/** Their contents are those of the sandbox. */
const MADE_ANEW = ['/dev', '/proc']

function depthOf(path: string): number {
  return path === '/' ? 0 : path.split('/').length
}

function isBelow(outer: string, inner: string): boolean {
  return inner.startsWith(outer === '/' ? '/' : `${outer}/`)
}
