import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { configReference } from '../../src/config/reference.ts'
import { describeWithPostgres } from '../support/postgres.ts'
import { hasJq, hasScript } from '../support/tools.ts'
import { bdCompatibility } from './bd-compatibility.ts'
import { cliReference } from './cli-reference.ts'
import { codersReference } from './coders-reference.ts'
import { eventsReference } from './events-reference.ts'
import { outcomesReference } from './outcomes-reference.ts'
import { tasksPicture } from './tasks-picture.ts'
import { needsServer, ON_TERMINAL, rerun } from './transcript.ts'

/** `npm run docs` rewrites these pages; the tests only compare them. */
const root = resolve(import.meta.dirname, '../..')
const guides = readdirSync(join(root, 'docs/guide')).map((name) => `docs/guide/${name}`)

const textOf = (page: string): string => readFileSync(join(root, page), 'utf8')
const [served, alone] = [true, false].map((wanted) =>
  ['README.md', ...guides].filter((page) => needsServer(textOf(page)) === wanted),
) as [string[], string[]]

for (const page of alone) shows(page, async () => rerun(textOf(page)))
describeWithPostgres('pages with a server', (server) => {
  for (const page of served) shows(page, async () => rerun(textOf(page), await server.newDatabase()))
})

function shows(page: string, rerunning: () => Promise<string>): void {
  const text = textOf(page)
  test.skipIf((!hasJq && text.includes('jq ')) || (!hasScript && ON_TERMINAL.test(text)))(
    `${page} shows what the commands really print (npm run docs)`,
    async () => {
      await expect(await rerunning()).toMatchFileSnapshot(join(root, page))
    },
  )
}

test.skipIf(!hasScript)(
  'docs/tasks.svg shows what `fleet tasks` prints with ten agents at work (npm run docs)',
  async () => {
    await expect(tasksPicture()).toMatchFileSnapshot(join(root, 'docs/tasks.svg'))
  },
)

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
