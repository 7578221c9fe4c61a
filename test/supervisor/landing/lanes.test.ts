import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import type { Verification } from '../../../src/ports/verifier.ts'
import { eventually } from '../../support/home-run.ts'
import { landingWorld } from '../../support/landing-world.ts'

const PASSED: Verification = { kind: 'passed', text: '', commands: [] }

test('work of two checkouts of a repository lands one after the other on a branch, and beside it on another branch', async () => {
  const checked: string[] = []
  let isHeld = true
  const it = await landingWorld(async (_subject, _signal, { task }) => {
    checked.push(task)
    if (task === it.id) await eventually(() => !isHeld, 'it goes on')
    return PASSED
  })
  it.git('branch', 'other')
  it.git('branch', 'later')
  const linked = join(dirname(it.repository), 'linked')
  it.git('worktree', 'add', '-q', '--detach', linked)
  const work = (name: string): string => `echo x >${name}; git add ${name}; git commit -qm ${name}`
  const supervisor = it.supervisor()
  await supervisor.start()
  await eventually(() => checked.length === 1, 'the first is checked')
  const second = await it.script(work('second'), { isolation: 'worktree', cwd: linked, target: 'main' })
  const elsewhere = await it.script(work('elsewhere'), { isolation: 'worktree', cwd: linked, target: 'other' })
  supervisor.queueChanged()
  await eventually(async () => (await it.status(elsewhere)) === 'closed', 'it lands beside the first')
  await eventually(() => it.world.ledger.landings.of(second) !== undefined, 'the second is in the queue')
  const third = await it.script(work('third'), { isolation: 'worktree', cwd: linked, target: 'later' })
  supervisor.queueChanged()
  await eventually(async () => (await it.status(third)) === 'closed', 'the third lands beside the first, too')
  expect([checked, it.world.ledger.landings.of(second)?.state]).toEqual([[it.id, elsewhere, third], { at: 'queued' }])
  isHeld = false
  for (const id of [it.id, second]) await eventually(async () => (await it.status(id)) === 'closed', `${id} lands`)
  expect(checked).toEqual([it.id, elsewhere, third, second])
  expect(it.subjects()).toEqual(['second', 'Work', 'First'])
})
