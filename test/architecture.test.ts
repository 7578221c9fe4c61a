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
  cli: [
    'domain',
    'ports',
    'platform',
    'config',
    'coders',
    'store',
    'home',
    'migration',
    'doctor',
    'app.ts',
    'supervise.ts',
  ],
}

/** Only platform/ touches processes, files, streams and drivers; these modules of Node do none of that. */
const HARMLESS = new Set(['node:path', 'node:crypto', 'node:util'])

const MAX_LINES = 400

const src = resolve(import.meta.dirname, '../src')
const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'))

test('imports go in one direction (ARCHITECTURE.md, "Direction")', () => {
  const illegal = files.flatMap((file) =>
    importsOf(file)
      .filter(({ to }) => !allowed(part(file), to))
      .map(({ text }) => `src/${file} imports ${text}`),
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
  return from === to || to === 'errors.ts' || (MAY_IMPORT[from] ?? []).includes(to)
}

function importsOf(file: string): { text: string; to: string }[] {
  return specifiers(file)
    .filter((text) => text.startsWith('.') && text.endsWith('.ts'))
    .map((text) => ({ text, to: part(relative(src, join(src, dirname(file), text))) }))
}

function specifiers(file: string): string[] {
  const code = readFileSync(join(src, file), 'utf8')
  return [...code.matchAll(/^import\b[^'"`]*'([^']+)'|^export\b[^'"`=(]*\bfrom '([^']+)'|\bimport\('([^']+)'\)/gm)].map(
    (match) => (match[1] ?? match[2] ?? match[3]) as string,
  )
}

function part(file: string): string {
  return file.split('/')[0] as string
}
