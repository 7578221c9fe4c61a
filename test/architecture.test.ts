import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { expect, test } from 'vitest'

/** Who may import whom (ARCHITECTURE.md, "Direction"). A folder that is not named may import nothing of src but errors. */
const MAY_IMPORT: Record<string, readonly string[]> = {
  domain: [],
  ports: ['domain'],
  platform: ['domain', 'ports'],
  coders: ['domain', 'ports'],
  config: ['domain', 'platform', 'coders', 'queues'],
  store: ['domain', 'ports', 'platform', 'config', 'coders'],
  queues: ['domain', 'ports', 'platform'],
  workspace: ['domain', 'ports', 'platform'],
  'app.ts': ['domain', 'ports', 'platform', 'config', 'coders', 'store', 'queues', 'workspace'],
  migration: ['domain', 'ports', 'platform', 'config', 'store', 'queues', 'app.ts'],
  supervisor: ['domain', 'ports'],
  'supervise.ts': ['domain', 'ports', 'platform', 'config', 'coders', 'store', 'workspace', 'supervisor', 'app.ts'],
  home: ['domain', 'platform', 'config', 'queues', 'app.ts'],
  doctor: ['domain', 'ports', 'platform', 'config', 'coders', 'queues', 'store', 'home', 'app.ts'],
  // Read models print nothing and change nothing; of doctor and migration they know the values their documents show.
  views: ['domain', 'ports', 'platform', 'config', 'store', 'doctor', 'migration', 'app.ts'],
  actions: ['domain', 'ports', 'platform', 'config', 'coders', 'store', 'home', 'app.ts', 'supervise.ts', 'views'],
  cli: [
    'cli/bd',
    'actions',
    'views',
    'domain',
    'ports',
    'platform',
    'config',
    'coders',
    'home',
    'migration',
    'doctor',
    'app.ts',
    'supervise.ts',
  ],
  'cli/bd': ['cli', 'actions', 'views', 'domain', 'ports', 'platform', 'config', 'coders', 'store', 'app.ts'],
}

/** Only platform/ touches processes, files, streams and drivers; these modules of Node do none of that. */
const HARMLESS = new Set(['node:path', 'node:crypto', 'node:util'])

/** Of platform/ the CLI itself needs what concerns its own process and terminal; the rest is for views and actions. */
const PLATFORM_OF_CLI: readonly string[] = [
  'platform/terminal/input.ts',
  'platform/terminal/output.ts',
  'platform/terminal/terminal.ts',
  'platform/process/signals.ts',
  'platform/runtime/wait.ts',
  'platform/runtime/compile-cache.ts',
  'platform/files/home.ts',
  'platform/files/paths.ts',
  // `fleet task -f` and `fleet log -f` print a file while it grows.
  'platform/files/follow.ts',
  // `fleet demo` removes its folder when it ends.
  'platform/files/temporary-folder.ts',
  // `fleet run` is the supervisor.
  'platform/sqlite/supervisor-lock.ts',
]

const MAX_LINES = 400

const src = resolve(import.meta.dirname, '../src')
const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'))

test('imports go in one direction (ARCHITECTURE.md, "Direction")', () => {
  const illegal = files.flatMap((file) =>
    importsOf(file)
      .filter(({ to }) => !allowed(part(file), to))
      .map(({ text }) => `src/${file} imports src/${text}`),
  )
  expect(illegal).toEqual([])
})

test('only platform/ imports what acts (ARCHITECTURE.md, "Direction")', () => {
  const acting = files
    .filter((file) => part(file) !== 'platform')
    .flatMap((file) =>
      specifiers(file)
        .filter((text) => text.startsWith('node:') && !HARMLESS.has(text))
        .map((text) => `src/${file} imports ${text}`),
    )
  expect(acting).toEqual([])
})

test('nothing that a view or an action imports is part of the CLI (ARCHITECTURE.md, "Direction")', () => {
  const begin = files.filter((file) => ['views', 'actions'].includes(part(file)))
  const reached = new Set(begin)
  // A set visits what is added to it during the loop.
  for (const file of reached) for (const to of targetsOf(file)) reached.add(to)
  expect([...reached].filter((file) => file.startsWith('cli/'))).toEqual([])
})

test('the CLI leaves files, processes and drivers to views and actions (ARCHITECTURE.md, "Direction")', () => {
  const direct = files
    .filter((file) => part(file) === 'cli')
    .flatMap((file) => targetsOf(file).map((target) => ({ file, target })))
    .filter(({ target }) => part(target) === 'platform' && !PLATFORM_OF_CLI.includes(target))
    .map(({ file, target }) => `src/${file} imports src/${target}`)
  expect(direct).toEqual([])
})

test('no file is longer than 400 lines (ARCHITECTURE.md, "Direction")', () => {
  const root = resolve(src, '..')
  const tooLong = ['src', 'test'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .map((file) => ({ file, lines: readFileSync(join(root, folder, file), 'utf8').split('\n').length - 1 }))
      .filter(({ lines }) => lines > MAX_LINES)
      .map(({ file, lines }) => `${folder}/${file} has ${lines} lines`),
  )
  expect(tooLong).toEqual([])
})

function allowed(from: string, to: string): boolean {
  return from === to || to === 'errors.ts' || to === 'version.ts' || (MAY_IMPORT[from] ?? []).includes(to)
}

function importsOf(file: string): { text: string; to: string }[] {
  return targetsOf(file).map((target) => ({ text: target, to: part(target) }))
}

/** The files of src that a file imports, also dynamically. */
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

/** The room of a file: a folder of src, or a file that stands there by itself. */
function part(file: string): string {
  return file.startsWith('cli/bd/') ? 'cli/bd' : (file.split('/')[0] as string)
}
