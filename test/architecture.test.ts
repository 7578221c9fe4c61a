import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { expect, test } from 'vitest'

/**
 * ARCHITECTURE.md, "Direction", has one table: each room of src/ and the rooms it imports. The table is the rule and the
 * real graph at once: an import that it does not list fails here, and so does a listed import that no file makes.
 */
const RULE = 'ARCHITECTURE.md, "Direction"'

const root = resolve(import.meta.dirname, '..')
const src = join(root, 'src')
const files = filesIn('src')
const direction = new Map(
  [...readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8').matchAll(/^\| `([\w./]+)` \| (.*) \|$/gm)].map(
    ([, room = '', imports = '']) => [room, [...imports.matchAll(/`([\w./]+)`/g)].map(([, name = '']) => name)],
  ),
)

/** Every room may import these. */
const SHARED = new Set(['errors.ts', 'version.ts'])

/** Modules of Node that touch nothing outside the process. Only platform/ may import others. */
const PURE_MODULES = new Set(['node:path', 'node:crypto', 'node:util'])

/** The parts of platform/ that concern the CLI's own process and terminal. Views and actions use the others. */
const PLATFORM_OF_CLI = new Set([
  'platform/terminal/input.ts',
  'platform/terminal/keys.ts',
  'platform/terminal/line.ts',
  'platform/terminal/output.ts',
  'platform/terminal/pager.ts',
  'platform/terminal/terminal.ts',
  // `fleet review` gives a person a shell.
  'platform/process/forward.ts',
  'platform/process/leaving.ts',
  'platform/process/signals.ts',
  'platform/process/search-path.ts',
  'platform/runtime/wait.ts',
  'platform/files/home.ts',
  'platform/files/paths.ts',
  // `fleet task -f` and `fleet log -f` print a file while it grows.
  'platform/files/follow.ts',
  // `fleet demo` removes its folder when it ends.
  'platform/files/temporary-folder.ts',
  // `fleet run` is the supervisor.
  'platform/sqlite/supervisor-lock.ts',
])

test(`every import is listed in ${RULE}`, () => {
  const illegal = files.flatMap((file) =>
    targetsOf(file)
      .filter((target) => !isFree(file, target) && !direction.get(roomOf(file))?.includes(roomOf(target)))
      .map((target) => `src/${file} imports src/${target}`),
  )
  expect(illegal).toEqual([])
})

test(`some file makes every import listed in ${RULE}`, () => {
  const real = new Set(files.flatMap((file) => targetsOf(file).map((target) => `${roomOf(file)} → ${roomOf(target)}`)))
  const listed = [...direction].flatMap(([room, imports]) => imports.map((to) => `${room} → ${to}`))
  expect(listed.length).toBeGreaterThan(0)
  expect(listed.filter((edge) => !real.has(edge))).toEqual([])
})

test(`a room imports only rooms below it in ${RULE}`, () => {
  const order = [...direction.keys()]
  const upward = [...direction].flatMap(([room, imports]) =>
    imports.filter((to) => order.indexOf(to) <= order.indexOf(room)).map((to) => `${room} → ${to}`),
  )
  expect(upward).toEqual([])
})

test(`only platform/ imports modules that act (${RULE})`, () => {
  const acting = files
    .filter((file) => roomOf(file) !== 'platform')
    .flatMap((file) =>
      specifiers(file)
        .filter((text) => text.startsWith('node:') && !PURE_MODULES.has(text))
        .map((text) => `src/${file} imports ${text}`),
    )
  expect(acting).toEqual([])
})

test(`views and actions reach nothing of the CLI, however indirectly (${RULE})`, () => {
  const reached = new Set(files.filter((file) => ['views', 'actions'].includes(roomOf(file))))
  // A set also visits members that the loop adds.
  for (const file of reached) for (const target of targetsOf(file)) reached.add(target)
  expect([...reached].filter((file) => file.startsWith('cli/'))).toEqual([])
})

test(`the CLI leaves files, processes and drivers to views and actions (${RULE})`, () => {
  const direct = files
    .filter((file) => roomOf(file) === 'cli')
    .flatMap((file) => targetsOf(file).map((target) => ({ file, target })))
    .filter(({ target }) => roomOf(target) === 'platform' && !PLATFORM_OF_CLI.has(target))
    .map(({ file, target }) => `src/${file} imports src/${target}`)
  expect(direct).toEqual([])
})

test(`no file is longer than 400 lines (${RULE})`, () => {
  const tooLong = ['src', 'test', 'scripts', 'bench']
    .flatMap((folder) => filesIn(folder).map((file) => `${folder}/${file}`))
    .map((file) => ({ file, lines: readFileSync(join(root, file), 'utf8').split('\n').length - 1 }))
    .filter(({ lines }) => lines > 400)
  expect(tooLong).toEqual([])
})

test(`no folder of src/ holds more than 40 files (${RULE})`, () => {
  const counts = new Map<string, number>()
  for (const file of files) counts.set(dirname(file), (counts.get(dirname(file)) ?? 0) + 1)
  expect([...counts].filter(([, count]) => count > 40)).toEqual([])
})

function filesIn(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).filter((file) =>
    /\.(ts|mjs)$/.test(file),
  )
}

/** Inside a room, and between the two halves of the CLI, imports are free. */
function isFree(file: string, target: string): boolean {
  return houseOf(file) === houseOf(target) || SHARED.has(target)
}

/** The files of src/ that a file imports, also dynamically. */
function targetsOf(file: string): string[] {
  return specifiers(file)
    .filter((text) => text.startsWith('.') && text.endsWith('.ts'))
    .map((text) => relative(src, join(src, dirname(file), text)))
}

function specifiers(file: string): string[] {
  const code = readFileSync(join(src, file), 'utf8')
  return [...code.matchAll(/^import\b[^'"`]*'([^']+)'|^export\b[^'"`=(]*\bfrom '([^']+)'|\bimport\('([^']+)'\)/gm)].map(
    (match) => (match[1] ?? match[2] ?? match[3]) as string,
  )
}

/** A folder of src/, or a file that stands there by itself. bd's language is a room of its own inside the CLI. */
function roomOf(file: string): string {
  return file.startsWith('cli/bd/') ? 'cli/bd' : houseOf(file)
}

function houseOf(file: string): string {
  return file.split('/')[0] as string
}
