import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { attack } from '../support/attack.ts'
import { run } from '../support/cli.ts'
import { claims, type FleetOptions, init, result, testFleet, tool, writes } from '../support/supervisor.ts'
import { ROWS } from './worktrees.rows.ts'

const { hugeFile, hugeIndex } = ROWS.attacks

/** A repository whose worktrees get its databases. */
function shop(options: FleetOptions) {
  const fleet = testFleet({ ...options, config: [...(options.config ?? []), 'max_attempts=1'] })
  const root = fleet.project('shop', { git: true })
  for (const name of ['.gitignore', '.worktreeinclude']) writeFileSync(join(root, name), '*.db\n')
  const who = options.uid === undefined ? {} : { uid: options.uid, gid: options.uid }
  expect(run('sh', ['-c', 'git add . && git commit -qm Ignore'], { cwd: root, ...who })).toMatchObject({ code: 0 })
  return { fleet, root }
}

attack(hugeFile, async (options) => {
  const { fleet, root } = shop(options)
  const steps = [init, tool({ run: ['truncate', '-s', '200G', 'large.db'] }), writes('x.txt'), claims(), result()]
  const id = fleet.create('Attack', steps, '--cwd', root)
  await fleet.start()
  await fleet.settled(id, 'closed')
  const next = fleet.create(
    'Next',
    [init, writes('y.txt'), claims(), result()],
    '--cwd',
    root,
    '--isolation',
    'worktree',
  )
  expect(await fleet.settled(next, 'blocked')).toMatchObject({
    notes: expect.stringContaining('name files of more than 2 GB, among them large.db'),
  })
  expect(fleet.runs(next)).toMatchObject([{ outcome: { code: 'no-worktree' } }])
})

attack(hugeIndex, async (options) => {
  const { fleet, root } = shop(options)
  const blowUp = `index=$(git rev-parse --git-path index); size=$(stat -c %s "$index")
truncate -s $((size - 20)) "$index"; printf 'AAAA\\045\\200\\000\\000' >>"$index"
truncate -s $((size - 12 + 629145600 + 20)) "$index"; git ls-files >&2`
  const steps = [init, writes('x.txt'), tool({ run: ['sh', '-ec', blowUp] }), claims(), result()]
  const id = fleet.create('Attack', steps, '--cwd', root, '--isolation', 'worktree')
  await fleet.start()
  await fleet.settled(id, 'closed')
  expect(existsSync(join(root, 'x.txt'))).toBe(true)
})
