import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type CallBounds, judgeToolCall, type SeenFiles } from '../../../src/domain/scope/judge-call.ts'
import type { Scope } from '../../../src/domain/scope/scope.ts'
import { shellCommands } from '../../../src/domain/scope/shell-commands.ts'

const SRC: Scope = { readOnly: false, writes: ['src/**'] }
const READ_ONLY: Scope = { readOnly: true }
const FREE: Scope = { readOnly: false }
const ROOT = '/home/ann/shop'
const OWN = '/home/ann/.fleet/tasks/fleet-a1b/artifacts'
const VARIABLES = {
  HOME: '/home/ann',
  FLEET_ARTIFACT_DIR: OWN,
  TMPDIR: '/home/ann/.fleet/tasks/fleet-a1b/attempts/1/tmp',
}

const bounds = (scope: Scope): CallBounds => ({
  ...{ scope, root: ROOT, userHome: '/home/ann', home: '/home/ann/.fleet' },
  own: [OWN, VARIABLES.TMPDIR],
  git: ['/home/ann/shop/.git'],
  settings: ['/home/ann/.claude/settings.json', '/home/ann/shop/.claude/settings.json'],
})

/** src/link leads to /etc. */
const files: SeenFiles = {
  resolve: (path) => path.replace(/^\/home\/ann\/shop\/src\/link(?=\/|$)/, '/etc'),
  isRepository: (folder) => folder === '/home/ann/shop/src/fixture',
}

function kindOf(scope: Scope, call: { command?: string; paths?: readonly string[] }, cwd = ROOT): string {
  return judgeToolCall(bounds(scope), { cwd, variables: VARIABLES, ...call }, files)?.kind ?? 'passes'
}

const shell = (scope: Scope, command: string, cwd?: string): string => kindOf(scope, { command }, cwd)

describe('a tool that names its files', () => {
  test.each([
    ['src/a.ts', 'passes'],
    ['/home/ann/shop/src/b/c.ts', 'passes'],
    ['lib/a.ts', 'scope'],
    ['src/../lib/a.ts', 'scope'],
    ['../other/a.ts', 'scope'],
    ['/etc/hosts', 'scope'],
    ['src/link/hosts', 'scope'],
    ['.git/hooks/pre-commit', 'protected'],
    ['.git/config', 'protected'],
    ['.GIT/Config', 'protected'],
    ['/home/ann/.claude/settings.json', 'protected'],
    ['.claude/settings.json', 'protected'],
    ['/home/ann/.fleet/runtime.toml', 'protected'],
    ['/home/ann/.fleet/tasks/fleet-x/artifacts/PLAN_AND_STATUS.md', 'protected'],
    ['/home/ann/.fleet/tasks/fleet-a1b/attempts/1/launch.json', 'protected'],
    [`${OWN}/report.md`, 'passes'],
    ['/tmp/scratch', 'passes'],
  ])('%s: %s', (path, expected) => expect(kindOf(SRC, { paths: [path] })).toBe(expected))

  test('may change nothing of the project for a read-only task, and its artifacts always', () => {
    expect(['src/a.ts', `${OWN}/report.md`].map((path) => kindOf(READ_ONLY, { paths: [path] }))).toEqual([
      'read-only',
      'passes',
    ])
  })

  test('may change anything but what is protected where the task has no scope', () => {
    const paths = ['lib/a.ts', '/etc/hosts', '.git/hooks/x', '/home/ann/.fleet/fleet.db']
    expect(paths.map((path) => kindOf(FREE, { paths: [path] }))).toEqual(['passes', 'passes', 'protected', 'protected'])
  })
})

describe('a shell line of a task with a scope', () => {
  test.each([
    ['npm test', 'passes'],
    ['cat ../other/a | grep x | sort', 'passes'],
    ['npm test > "$TMPDIR/log" 2>&1', 'passes'],
    ['echo x > src/a.ts 2>/dev/null', 'passes'],
    ['grep -r foo . && sed -n 1,5p README.md', 'passes'],
    ['git add -A && git commit -m "rm -rf / > x"', 'passes'],
    ['git -C /home/ann/shop diff HEAD~1', 'passes'],
    ['[[ $a > b ]] && echo yes', 'passes'],
    ["cat > src/a.sh <<'EOF'\nrm -rf /\nEOF\nls", 'passes'],
    ['rm -rf src/old', 'passes'],
    ['echo "$x" > "$file"', 'passes'],
    ['python3 build.py', 'passes'],
    ['echo x > lib/a.ts', 'scope'],
    ['echo x >> /etc/hosts', 'scope'],
    ['cd lib && touch a.ts', 'scope'],
    ['(cd lib && ls) && touch src/a.ts', 'passes'],
    ['cat a | tee lib/b', 'scope'],
    ['sed -i s/a/b/ lib/a.ts', 'scope'],
    ["sed -i -e 's/a/b/' src/a.ts", 'passes'],
    ['cp src/a.ts /home/ann/other/', 'scope'],
    ['mv src/a.ts lib/a.ts', 'scope'],
    ['dd if=/dev/zero of=lib/big', 'scope'],
    ['curl -s x -o lib/a', 'scope'],
    ['mkdir -m 755 src/x', 'passes'],
    ['rm -rf lib', 'scope'],
    ['rm -rf ../other', 'deletes'],
    ['rm -rf ~', 'deletes'],
    ['rm -rf "$HOME"', 'deletes'],
    ['rm -rf /', 'deletes'],
    ['sudo -n rm -rf /home', 'deletes'],
    ['bash -lc "cd .. && rm -rf shop"', 'deletes'],
    ['D=/home/ann/other; rm -rf "$D"', 'deletes'],
    ['find /home/ann/other -name x -delete', 'deletes'],
    ['x=$(rm -rf ../other)', 'deletes'],
    ['rm -rf "$UNKNOWN/x"', 'unsure'],
    ['ls | xargs rm', 'unsure'],
    ['git push origin main', 'pushes'],
    ['git -C ../other commit -am x', 'scope'],
    ['git --git-dir=/home/ann/other/.git reset --hard', 'scope'],
    ['git config core.hooksPath /tmp/x', 'protected'],
    ['git config --get user.name', 'passes'],
    ['git config user.email ann@example.com', 'passes'],
    ['git -C /tmp/try config core.bare true', 'passes'],
    ['git config --global alias.x y', 'scope'],
    ['cd src && git config core.fsmonitor ./x', 'protected'],
    ['git --git-dir=.git config core.fsmonitor ./x', 'protected'],
    ['git -C src/module config core.fsmonitor ./x', 'protected'],
    ['git -C src/fixture config core.bare true', 'passes'],
    ['git config -f .git/config core.fsmonitor ./x', 'protected'],
    ['git config --edit', 'protected'],
    ['git config --unset-all alias.st', 'protected'],
    ['git config alias.st get', 'protected'],
    ['git config set core.fsmonitor user.name', 'protected'],
    ['git config get alias.st', 'passes'],
    ['git config --type bool core.bare', 'passes'],
    ['echo x > .git/hooks/pre-commit', 'protected'],
    ['echo x > .git/modules/a/b/hooks/pre-commit', 'protected'],
    ['echo x >> .git/modules/a/config', 'protected'],
    ['rm -rf .git/modules/a', 'scope'],
    ['sudo -u me rm -rf ../other', 'deletes'],
    ['sudo -nu me FOO=1 rm -rf ../other', 'deletes'],
    ['env -u X rm -rf ../other', 'deletes'],
    ['timeout -s KILL 10 rm -rf ../other', 'deletes'],
    ['sudo --user=me rm -rf ../other', 'deletes'],
    ['ls | xargs -I {} rm {}', 'unsure'],
    ['ls | xargs -n1 -P 2 grep x', 'passes'],
    ['ln ../other/f src/f', 'scope'],
    ['ln -s ../other/f src/f', 'passes'],
    ['rm -rf .git', 'protected'],
    ['chmod +x src/a.sh', 'passes'],
    ['chmod 777 lib/a.sh', 'scope'],
    ['if true; then rm -rf ../other; fi', 'deletes'],
    ['echo x > src/link/hosts', 'scope'],
  ])('%s: %s', (command, expected) => expect(shell(SRC, command)).toBe(expected))
})

test('a read-only task may read and build, but no command of it names a file to write', () => {
  const lines = [
    'git log -3',
    'npm test',
    'echo x > a',
    'git commit -m x',
    'touch "$f"',
    `echo x > ${OWN}/a`,
    'git stash list',
  ]
  expect(lines.map((line) => shell(READ_ONLY, line))).toEqual([
    ...['passes', 'passes', 'read-only', 'read-only', 'unsure', 'passes', 'passes'],
  ])
})

test('without a scope only the deletion of more than the project, and what is protected, is refused', () => {
  const lines = [
    'rm -rf ../other',
    'rm -rf ~',
    'rm -rf ..',
    'git push',
    'echo x > /home/ann/.fleet/runtime.toml',
    'rm "$x"',
  ]
  expect(lines.map((line) => shell(FREE, line))).toEqual([
    ...['passes', 'deletes', 'deletes', 'passes', 'protected', 'passes'],
  ])
})

test('a directory that has the home of fleet in it makes that no part of the task', () => {
  const inHome = { ...bounds(FREE), root: '/home/ann', own: [OWN, '/home/ann'], git: [] }
  const inTask = { ...bounds(FREE), root: '/home/ann/.fleet/worktrees/a', git: [] }
  const kindIn = (where: CallBounds, command: string) =>
    judgeToolCall(where, { command, cwd: where.root, variables: VARIABLES }, files)?.kind
  expect(
    ['echo x > .fleet/fleet.db', 'echo x > notes', `echo x > ${OWN}/a`].map((line) => kindIn(inHome, line)),
  ).toEqual(['protected', undefined, undefined])
  expect([kindIn(inTask, 'echo x > a'), kindIn(inTask, 'echo x > ../b')]).toEqual([undefined, 'protected'])
})

test('the reason says what may be changed', () => {
  const refusal = judgeToolCall(bounds(SRC), { paths: ['lib/a.ts'], cwd: ROOT, variables: {} }, files)
  expect(refusal).toEqual({ kind: 'scope', what: '/home/ann/shop/lib/a.ts', why: 'this task may change only src/**' })
})

test('no path below an allowed folder is refused, and none beside it passes, however it is written', () => {
  const name = fc.stringMatching(/^[a-z]{1,4}$/)
  fc.assert(
    fc.property(name, name, fc.constantFrom('"', "'", ''), fc.boolean(), (a, b, quote, isAbsolutePath) => {
      const at = (path: string): string => `${quote}${isAbsolutePath ? join(ROOT, path) : path}${quote}`
      expect(shell(SRC, `echo x > ${at(`src/${a}/${b}`)}`)).toBe('passes')
      expect(shell(SRC, `cd src && cd ${a} && tee ../../${b}x/y`)).toBe(b === 'src' ? 'scope' : 'scope')
      expect(shell(SRC, `rm -rf ${at(`../${a}x`)}`)).toBe('deletes')
    }),
  )
})

test('any text is read to its end', () => {
  const part = fc.constantFrom(
    '$(',
    ')',
    '`',
    '"',
    "'",
    '<<E',
    '\n',
    'rm',
    ' ',
    '>',
    '&',
    ';',
    '\\',
    '${',
    '}',
    'E',
    '~',
    '#',
    '<(',
    '/a',
  )
  fc.assert(
    fc.property(fc.array(part, { maxLength: 40 }), (parts) => {
      expect(Array.isArray(shellCommands(parts.join(''), {}))).toBe(true)
    }),
  )
})
