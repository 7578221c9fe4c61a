import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { attack } from '../support/attack.ts'
import { run } from '../support/cli.ts'
import {
  claims,
  type Fleet,
  type FleetOptions,
  init,
  result,
  testFleet,
  tool,
  until,
  writes,
} from '../support/supervisor.ts'
import { ROWS } from './landing.rows.ts'

const { hooks, otherRepository } = ROWS.attacks

/** The hook of a person, or of an agent, by whoever runs this. */
function hook(path: string, text: string): readonly string[] {
  return ['sh', '-c', `cat >'${path}' <<'END'\n#!/bin/sh\n${text}\nEND\nchmod +x '${path}'`]
}

function as({ uid }: FleetOptions) {
  return uid === undefined ? {} : { uid, gid: uid }
}

const whyOf = (fleet: Fleet, id: string): string => JSON.stringify(fleet.ledger.landings.of(id)?.state ?? '')

attack(otherRepository, async (options) => {
  const fleet = testFleet({ ...options, config: [...(options.config ?? []), 'max_attempts=1'] })
  const root = fleet.project('shop', { git: true })
  const mark = join(fleet.home.project, 'mark')
  const plants = tool({ run: [...hook(join(root, '.git/hooks/post-checkout'), `touch '${mark}'`)] })
  const elsewhere = fleet.create('Elsewhere', [init, plants, writes('x.txt'), claims(), result()])
  await fleet.start()
  await fleet.settled(elsewhere, 'closed')
  const steps = [init, writes('new.txt'), claims(), result()]
  const id = fleet.create('Here', steps, '--cwd', root, '--isolation', 'worktree')
  await until(
    async () => whyOf(fleet, id).includes('"why"'),
    () => `it waits: ${whyOf(fleet, id)}`,
  )
  expect(whyOf(fleet, id)).toMatch(/changed while agents ran.*hook post-checkout \(new\)/)
  expect(existsSync(mark)).toBe(false)
})

attack(hooks, async (options) => {
  const env = { SHOP_SECRET_TOKEN: 'hunter2-hunter2' }
  const fleet = testFleet({ ...options, env, config: [...(options.config ?? []), 'isolation=worktree'] })
  const root = fleet.project('shop', { git: true })
  const left = join(fleet.project('left'), 'env')
  const put = (argv: readonly string[]): void => {
    expect(run(argv[0] ?? '', argv.slice(1), { cwd: root, ...as(options) })).toMatchObject({ code: 0 })
  }
  put(['sh', '-c', 'echo : >ci.sh && git add . && git commit -qm Ci'])
  put(hook(join(root, '.git/hooks/post-checkout'), 'exec sh ./ci.sh'))
  const evil = `env >'${left}'; setsid sleep 1000 >/dev/null 2>&1 &`
  writeFileSync(join(fleet.home.path, 'evil'), evil, { mode: 0o644 })
  const changes = tool({ run: ['cp', join(fleet.home.path, 'evil'), 'ci.sh'] })
  const id = fleet.create('Here', [init, changes, claims(), result()], '--cwd', root)
  await fleet.start()
  await fleet.settled(id, 'closed')
  const seen = readFileSync(left, 'utf8')
  expect([seen.includes('hunter2'), seen.includes('FLEET_RUN_ID=')]).toEqual([false, true])
  // At its end, testFleet finds no process of a run.
})
