import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { likeAnyRun } from '../docs/transcript.ts'
import type { RealCoder } from './coders/real-coder.ts'
import { INSTALLED } from './coders/registry.ts'
import { FleetWithCoder } from './fleet-with-coder.ts'
import { calls, says } from './model/turns.ts'

/**
 * Compares a coder's page with what fleet prints while the real CLI works with the scripted model.
 * `npm run test:real -- --update -t page` rewrites it.
 */
const guide = resolve(import.meta.dirname, '../../docs/guide')
const BLOCK = /(?<=^```text the real \w+\n)[\s\S]*?(?=^```$)/m

for (const coder of INSTALLED) {
  test(`the page of ${coder.name} shows what fleet prints about the real CLI`, async () => {
    const path = join(guide, `${coder.name}.md`)
    const page = readFileSync(path, 'utf8')
    expect(page).toMatch(BLOCK)
    await expect(page.replace(BLOCK, await session(coder))).toMatchFileSnapshot(path)
  })
}

async function session(coder: RealCoder): Promise<string> {
  await using fleet = await FleetWithCoder.make(coder)
  const title = 'Sum it up in SUMMARY.md'
  fleet.model.script(title, [
    calls(coder.write(join(fleet.project, 'SUMMARY.md'), 'It sells shoes.\n')),
    calls(coder.shell('fleet done "one sentence, in SUMMARY.md"')),
    says('Done.'),
  ])
  const created = await fleet.fleet('bd', 'create', title)
  const [, id = ''] = /^Created (\S+):/.exec(created) ?? []
  const ran = await fleet.fleet('run', '--once')
  const shown = await fleet.fleet('show', id)
  const receipt = (await fleet.fleet('task', id, 'receipt')).split('\n')
  const evidence = receipt.filter((line) => /"(?:tool_calls|served_model)"/.test(line))
  const all = [
    `$ fleet bd create "${title}"`,
    created.trim(),
    '$ fleet run --once',
    ran.trim(),
    `$ fleet show ${id}`,
    shown.trim(),
    `$ fleet task ${id} receipt | grep -E 'tool_calls|served_model'`,
    ...evidence,
    '',
  ].join('\n')
  return likeAnyRun(fleet.anonymous(all)).replaceAll(id, 'fleet-k3q')
}
