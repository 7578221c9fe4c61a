import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { configReference } from '../../src/config/reference.ts'
import { attacksReference } from './attacks-reference.ts'
import { bdCompatibility } from './bd-compatibility.ts'
import { cliReference } from './cli-reference.ts'
import { codersReference } from './coders-reference.ts'
import { eventsReference } from './events-reference.ts'
import { evidenceReference } from './evidence-reference.ts'
import { guardedFilesReference } from './guarded-files-reference.ts'
import { outcomesReference } from './outcomes-reference.ts'
import { processesReference } from './processes-reference.ts'

/** The generated pages, which need no commands to be run. `npm run docs` rewrites them; the tests only compare them. */
const root = resolve(import.meta.dirname, '../..')

test('docs/reference/cli.md matches the command tables (npm run docs)', async () => {
  await expect(await cliReference()).toMatchFileSnapshot(join(root, 'docs/reference/cli.md'))
})

test('docs/reference/config.md matches the table of settings (npm run docs)', async () => {
  await expect(configReference()).toMatchFileSnapshot(join(root, 'docs/reference/config.md'))
})

test('docs/reference/events.md names every event and shows its line (npm run docs)', async () => {
  await expect(eventsReference()).toMatchFileSnapshot(join(root, 'docs/reference/events.md'))
})

test('docs/reference/outcomes.md matches the table of outcomes (npm run docs)', async () => {
  await expect(outcomesReference()).toMatchFileSnapshot(join(root, 'docs/reference/outcomes.md'))
})

test('docs/reference/processes.md matches the table of exceptions (npm run docs)', async () => {
  await expect(processesReference()).toMatchFileSnapshot(join(root, 'docs/reference/processes.md'))
})

test('docs/reference/what-an-agent-can-do.md matches the rows of the attacks (npm run docs)', async () => {
  await expect(await attacksReference()).toMatchFileSnapshot(join(root, 'docs/reference/what-an-agent-can-do.md'))
})

test('docs/reference/evidence.md matches the kinds of work that are tried (npm run docs)', async () => {
  await expect(evidenceReference()).toMatchFileSnapshot(join(root, 'docs/reference/evidence.md'))
})

test('docs/reference/guarded-files.md matches the table of patterns (npm run docs)', async () => {
  await expect(guardedFilesReference()).toMatchFileSnapshot(join(root, 'docs/reference/guarded-files.md'))
})

test('docs/reference/coders.md matches the coder descriptors (npm run docs)', async () => {
  await expect(codersReference()).toMatchFileSnapshot(join(root, 'docs/reference/coders.md'))
})

test('docs/reference/bd-compatibility.md lists the differences that the differential suite marks (npm run docs)', async () => {
  await expect(await bdCompatibility()).toMatchFileSnapshot(join(root, 'docs/reference/bd-compatibility.md'))
})

const pages = ['README.md', 'ARCHITECTURE.md', 'GLOSSARY.md', 'CONTRIBUTING.md', 'AGENTS.md'].concat(
  readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
)

test('every link between pages has a target', () => {
  const broken = pages.flatMap((page) =>
    [...readFileSync(join(root, page), 'utf8').matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)\s]*))?\)/g)]
      .filter(([, path = '', anchor]) => !leadsTo(resolve(root, dirname(page), path || basename(page)), anchor))
      .map(([link]) => `${page}: ${link}`),
  )
  expect(broken).toEqual([])
})

function leadsTo(path: string, anchor: string | undefined): boolean {
  if (!existsSync(path)) return false
  if (anchor === undefined) return true
  const titles = [...readFileSync(path, 'utf8').matchAll(/^#+ (.*)$/gm)].map(([, title = '']) => title)
  return titles.some(
    (title) =>
      title
        .toLowerCase()
        .replace(/[^\w -]/g, '')
        .replaceAll(' ', '-') === anchor,
  )
}
