import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { describeWithPostgres } from '../support/postgres.ts'
import { hasJq, hasScript } from '../support/tools.ts'
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
