import { execFileSync } from 'node:child_process'
import { truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { settingsOf } from '../../../src/domain/task/settings.ts'
import { eventually } from '../../support/home-run.ts'
import { testWorld } from '../../support/world.ts'

test('a supervisor that brings a large file to a worktree hears a kill, which ends the copy', async () => {
  let asked = (): void => {}
  const copied: unknown[] = []
  const { store, script, status, ask, supervisor } = await testWorld(undefined, ({ worktrees }) => ({
    worktrees: {
      ...worktrees,
      async bring(...order) {
        asked()
        copied.push(await worktrees.bring(...order))
        return copied.at(-1) as Awaited<ReturnType<typeof worktrees.bring>>
      },
    },
  }))
  const id = await script('echo never', { isolation: 'worktree' })
  const { cwd = '' } = settingsOf((await store.queue.get(id))?.metadata ?? {})
  writeFileSync(join(cwd, '.gitignore'), '*.db\n')
  writeFileSync(join(cwd, '.worktreeinclude'), '*.db\n')
  writeFileSync(join(cwd, 'large.db'), '')
  truncateSync(join(cwd, 'large.db'), 2 ** 31 - 1)
  const who = ['-c', 'user.name=anna', '-c', 'user.email=anna@example.org']
  for (const argv of [
    ['init', '-q'],
    ['add', '.'],
    [...who, 'commit', '-qm', 'First'],
  ]) {
    execFileSync('git', argv, { cwd })
  }
  const one = supervisor()
  let answer = (): string | null | undefined => null
  asked = () => {
    answer = ask('kill', id)
    one.wake()
  }
  await one.start()
  await eventually(async () => (await status(id)) === 'blocked', 'the task is blocked')
  await eventually(() => copied.length > 0, 'the copy has ended')
  expect([answer(), copied]).toEqual(['stopped by anna', ['stopped']])
})
