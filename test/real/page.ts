import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect } from 'vitest'
import { likeAnyRun } from '../docs/transcript.ts'
import type { FleetWithCoder } from './fleet-with-coder.ts'
import { calls, says, type Turn } from './model/turns.ts'

const guide = resolve(import.meta.dirname, '../../docs/guide')
const BLOCK = /(?<=^```text the real \w+\n)[\s\S]*?(?=^```$)/m

export interface Page {
  readonly path: string
  /** The page with what fleet printed this time. */
  readonly text: string
  readonly id: string
  readonly turns: readonly Turn[]
}

/** Does with the real CLI, and the scripted model, what the coder's page shows. */
export async function played(fleet: FleetWithCoder): Promise<Page> {
  const { coder } = fleet
  const path = join(guide, `${coder.name}.md`)
  const page = readFileSync(path, 'utf8')
  expect(page).toMatch(BLOCK)
  const title = 'Sum it up in SUMMARY.md'
  const turns = [
    calls(coder.write(join(fleet.project, 'SUMMARY.md'), 'It sells shoes.\n')),
    calls(coder.shell('fleet done "one sentence, in SUMMARY.md"')),
    says('Done.'),
  ]
  fleet.model.script(title, turns)
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
  const block = likeAnyRun(fleet.anonymous(all)).replaceAll(id, 'fleet-k3q')
  return { path, text: page.replace(BLOCK, block), id, turns }
}
