import { expect, test } from 'vitest'
import { bwrapArgv } from '../../../src/domain/sandbox/bwrap.ts'
import {
  inForce,
  type Rule,
  type SandboxPlaces,
  type Standing,
  sandboxRules,
} from '../../../src/domain/sandbox/rules.ts'
import { sandboxDecision, stricter } from '../../../src/domain/sandbox/sandbox.ts'
import { seatbeltProfile } from '../../../src/domain/sandbox/seatbelt.ts'

const PLACES: SandboxPlaces = {
  userHome: '/home/ann',
  otherHomes: [],
  fleetHome: '/home/ann/.fleet',
  taskFolder: '/home/ann/.fleet/tasks/fleet-a',
  written: ['/home/ann/.fleet/tasks/fleet-a/artifacts', '/home/ann/.fleet/tasks/fleet-a/inbox'],
  temporary: '/home/ann/.fleet/tasks/fleet-a/attempts/1/tmp',
  handedOver: ['/home/ann/.fleet/tasks/fleet-b/artifacts'],
  tree: '/home/ann/.fleet/worktrees/fleet-a',
  repository: {
    entry: '/home/ann/.fleet/worktrees/fleet-a/.git',
    folders: ['/home/ann/shop/.git/worktrees/fleet-a', '/home/ann/shop/.git'],
    modules: ['/home/ann/shop/.git/modules/libs/m'],
    closed: [],
  },
  ownStore: ['/home/ann/.claude'],
  kept: ['/home/ann/.claude/settings.json'],
  otherStores: ['/home/ann/.codex'],
  programs: ['/home/ann/.fleet/bin', '/usr/bin', '/home/ann/.fleet/worktrees/fleet-a/node_modules/.bin'],
  write: [],
  read: [],
  hide: [],
}

const FILES = new Set([
  '/home/ann/.netrc',
  '/home/ann/.claude/settings.json',
  '/home/ann/shop/.git/config',
  '/home/ann/shop/.git/modules/libs/m/config',
  '/home/ann/.fleet/worktrees/fleet-a/.git',
  '/home/ann/shop/.git/worktrees/fleet-a/commondir',
])
const MISSING =
  /huggingface|snap|^\/var\/lib|Xauthority|1password|\/(?!\.aws|\.ssh|\.netrc|\.cache|\.codex|\.claude|\.fleet|\.git(?!-))\.[a-z]|Library|go\/pkg|^\/run\/|^\/var\/run|config\.worktree|fleet-a\/(?:hooks|config)|(?:m|\.git)\/commondir|m\/hooks/
const standing = (path: string): Standing | undefined =>
  MISSING.test(path.replace('node_modules/.bin', 'node_modules'))
    ? undefined
    : { path, kind: FILES.has(path) ? 'file' : 'folder' }

const shown = (places: Partial<SandboxPlaces> = {}) =>
  inForce(sandboxRules({ ...PLACES, ...places }), standing).map(({ access, path }) => `${access} ${path}`)

test('an agent in a worktree writes there, in the folders of its repository and in its own places, and reads no secret', () => {
  expect(shown().toSorted(byPath)).toEqual(
    [
      'none /run',
      'write /tmp',
      'write /var/tmp',
      'none /home/ann/.aws',
      'write /home/ann/.cache',
      'write /home/ann/.claude',
      'read /home/ann/.claude/settings.json',
      'none /home/ann/.codex',
      'none /home/ann/.fleet',
      'none /home/ann/.netrc',
      'none /home/ann/.ssh',
      'read /home/ann/.fleet/bin',
      'write /home/ann/shop/.git',
      'read /home/ann/.fleet/tasks/fleet-a',
      'write /home/ann/.fleet/worktrees/fleet-a',
      'read /home/ann/.fleet/worktrees/fleet-a/.git',
      'read /home/ann/shop/.git/config',
      'read /home/ann/shop/.git/hooks',
      'none /home/ann/shop/.git/config.worktree',
      'read /home/ann/shop/.git/worktrees',
      'write /home/ann/shop/.git/worktrees/fleet-a',
      'read /home/ann/shop/.git/worktrees/fleet-a/commondir',
      'none /home/ann/shop/.git/worktrees/fleet-a/config.worktree',
      'write /home/ann/shop/.git/modules',
      'write /home/ann/shop/.git/modules/libs',
      'write /home/ann/shop/.git/modules/libs/m',
      'read /home/ann/shop/.git/modules/libs/m/config',
      'none /home/ann/shop/.git/modules/libs/m/config.worktree',
      'none /home/ann/shop/.git/modules/libs/m/hooks',
      'write /home/ann/.fleet/tasks/fleet-a/artifacts',
      'write /home/ann/.fleet/tasks/fleet-a/inbox',
      'read /home/ann/.fleet/tasks/fleet-b/artifacts',
      'write /home/ann/.fleet/tasks/fleet-a/attempts/1/tmp',
    ].toSorted(byPath),
  )
})

test('a link in the place of the hooks opens no hidden folder', () => {
  const linked = (path: string): Standing | undefined =>
    path === '/home/ann/shop/.git/hooks' ? { path: '/home/ann/.ssh', kind: 'folder' } : standing(path)
  expect(inForce(sandboxRules(PLACES), linked)).toContainEqual({
    path: '/home/ann/.ssh',
    access: 'none',
    kind: 'folder',
  })
})

test('a folder of PATH in a shared place is not written, one in the checkout is', () => {
  const inShared = ['/home/ann/.cache/tools/bin', '/home/ann/.cache', '/home/ann/.ssh']
  const rules = shown({ programs: [...inShared, `${PLACES.tree}/node_modules/.bin`] })
  expect(rules.filter((rule) => /cache|ssh|node_modules/.test(rule))).toEqual(['none /home/ann/.ssh'])
  expect(shown({ programs: inShared.slice(0, 1) })).toEqual(
    expect.arrayContaining(['write /home/ann/.cache/tools', 'read /home/ann/.cache/tools/bin']),
  )
})

test('each folder between a closed place and the written one around it is held in its place', () => {
  const rules: Rule[] = [
    { path: '/a', access: 'write' },
    { path: '/a/b/c/d', access: 'read' },
  ]
  const folder = (path: string): Standing => ({ path, kind: 'folder' })
  expect(inForce(rules, folder)).toEqual([
    { path: '/a', access: 'write', kind: 'folder' },
    { path: '/a/b', access: 'write', kind: 'folder', isFixed: true },
    { path: '/a/b/c', access: 'write', kind: 'folder', isFixed: true },
    { path: '/a/b/c/d', access: 'read', kind: 'folder' },
  ])
})

test('the most specific rule holds: a task in the home directory writes there, and still reads no key', () => {
  const rules = shown({ tree: '/home/ann', repository: undefined })
  expect(rules).toContain('write /home/ann')
  expect(rules).toContain('none /home/ann/.ssh')
  expect(rules).toContain('none /home/ann/.fleet')
})

test('hooks that are not there are shown as a folder that nobody can fill', () => {
  const rules: Rule[] = [
    { path: '/a', access: 'write' },
    { path: '/a/.git/hooks', access: 'read', evenIfMissing: 'folder' },
    { path: '/a/.git/config', access: 'read' },
  ]
  const none = (path: string): Standing | undefined =>
    /hooks|config/.test(path) ? undefined : { path, kind: 'folder' }
  expect(inForce(rules, none)).toEqual([
    { path: '/a', access: 'write', kind: 'folder' },
    { path: '/a/.git', access: 'write', kind: 'folder', isFixed: true },
    { path: '/a/.git/hooks', access: 'none', kind: 'folder' },
  ])
})

const RULES = inForce(
  [
    { path: '/tmp', access: 'write', from: '/t' },
    { path: '/a', access: 'write' },
    { path: '/a/b', access: 'none' },
    { path: '/a/b/"c"', access: 'read' },
    { path: '/home/ann/.netrc', access: 'none' },
  ],
  (path) => ({ path, kind: FILES.has(path) ? 'file' : 'folder' }),
)
const INSIDE = { rules: RULES, network: 'off', cwd: '/a', program: '/bin/agent', args: ['-p'] } as const

test('bubblewrap gets the rules as mounts, the outer before the inner, and leaves signals to the agent', () => {
  const programs = { bwrap: '/usr/bin/bwrap', env: '/usr/bin/env' }
  const [first, ignore, bwrap, ...argv] = bwrapArgv(INSIDE, programs, 'user-namespace')
  expect([first, ignore, bwrap]).toEqual(['/usr/bin/env', '--ignore-signal=TERM,INT,HUP', '/usr/bin/bwrap'])
  expect(argv.join(' ')).toBe(
    '--unshare-user --unshare-pid --unshare-ipc --unshare-net --ro-bind / / --dev /dev --proc /proc ' +
      '--bind /a /a --bind /t /tmp --tmpfs /a/b --ro-bind /a/b/"c" /a/b/"c" --ro-bind /dev/null /home/ann/.netrc ' +
      '--remount-ro /a/b --chdir /a -- /usr/bin/env --default-signal=TERM,INT,HUP /bin/agent -p',
  )
  expect(bwrapArgv(INSIDE, programs, 'plain')).toContain('--cap-drop')
})

test('macOS gets them as a profile, in which the last rule that fits holds', () => {
  expect(seatbeltProfile(INSIDE)).toBe(`(version 1)
(allow default)
(deny file-write*)
(allow file-write* (subpath "/dev"))
(allow file-write* (subpath "/private/var/folders"))
(allow file-read-data file-write* (subpath "/a"))
(deny file-read-data file-write* (subpath "/a/b"))
(allow file-read-data (subpath "/a/b/\\"c\\""))
(deny file-write* (subpath "/a/b/\\"c\\""))
(deny file-read-data file-write* (subpath "/home/ann/.netrc"))
(deny network*)
`)
})

test('a required sandbox that does not work starts nothing; a preferred one is left out, but not before it was tried', () => {
  const fails = { kind: 'fails', why: 'no bwrap' } as const
  expect(sandboxDecision('off', () => fails)).toEqual({ kind: 'none' })
  expect(sandboxDecision('required', () => ({ kind: 'works' }))).toEqual({ kind: 'inside' })
  expect(sandboxDecision('required', () => fails)).toEqual({ kind: 'refused', why: 'no bwrap' })
  expect(sandboxDecision('preferred', () => fails)).toEqual({ kind: 'without', why: 'no bwrap' })
  expect(sandboxDecision('preferred', () => ({ kind: 'untried' }))).toMatchObject({ kind: 'refused' })
})

test('of two modes the stricter holds', () => {
  expect([stricter('off', 'required'), stricter('preferred', 'off'), stricter('required', 'preferred')]).toEqual([
    'required',
    'preferred',
    'required',
  ])
})

function byPath(one: string, other: string): number {
  return one.slice(one.indexOf('/')) < other.slice(other.indexOf('/')) ? -1 : 1
}
