import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Step } from '../../stub-agent/stub-as.ts'
import { run } from '../../support/cli.ts'
import { claims, type Fleet, init, result, testFleet, tool, writes } from '../../support/supervisor.ts'

const sh = (script: string): Step => ({ run: ['sh', '-c', script] })
const READS: Step = { claude: 'tool', name: 'Read', input: { file_path: 'kept.txt' } }

/** A checkout that ignores `dist`, with another one beside it. */
function projectOf(fleet: Fleet, name: string): string {
  const cwd = fleet.project(name, { git: true })
  const git = 'git() { command git -c user.name=a -c user.email=a@localhost "$@"; }; set -e'
  const own = 'echo dist >.gitignore; git add .; git commit -qm Ignore; mkdir dist'
  const beside = `mkdir ../${name}-beside; cd ../${name}-beside; git init -q; echo s >s.txt; git add .; git commit -qm s`
  expect(run('sh', ['-c', `${git}; ${own}; ${beside}`], { cwd })).toMatchObject({ code: 0 })
  return cwd
}

test('what an earlier attempt did closes the task, also where no look at the tracked files shows it', async () => {
  const fleet = testFleet({ config: ['max_attempts=2'] })
  const worktree = ['--isolation', 'worktree']
  const kinds: Record<string, readonly [Step, ...string[]]> = {
    tracked: [writes('kept.txt', 'x\n')],
    ignored: [writes('dist/out.js', 'x\n')],
    beside: [writes('../beside-beside/s.txt', 'x\n')],
    tag: [tool({ git: ['tag', 'v1'] }), '--evidence', 'branch'],
    path: [tool(sh('echo x >dist/out.js')), '--evidence', 'path:dist'],
    tagInWorktree: [tool({ git: ['tag', 'v2'] }), '--evidence', 'branch', ...worktree],
    pathInWorktree: [tool(sh('mkdir dist; echo x >dist/out.js')), '--evidence', 'path:dist', ...worktree],
  }
  const ids = Object.entries(kinds).map(([name, [work, ...flags]]) => {
    const attempts = [
      [init, work, result()],
      [init, READS, claims(), result()],
    ]
    return [name, fleet.create(name, attempts, '--cwd', projectOf(fleet, name), ...flags)] as const
  })
  await fleet.start()
  for (const [, id] of ids) await fleet.ended(id, 2)
  expect(Object.fromEntries(ids.map(([name, id]) => [name, fleet.runs(id)[1]?.outcome?.code]))).toEqual(
    Object.fromEntries(ids.map(([name]) => [name, 'done'])),
  )
})

test('where a person says only after the refusal that the work is elsewhere, it counts without being done again', async () => {
  const fleet = testFleet({ config: ['max_attempts=1'] })
  const attempts = [
    [init, tool(sh('echo x >../shop-beside/s.txt')), claims(), result()],
    [init, READS, claims(), result()],
  ]
  const id = fleet.create('Works beside', attempts, '--cwd', projectOf(fleet, 'shop'))
  await fleet.start()
  await fleet.settled(id, 'blocked')
  expect(fleet.runs(id)[0]?.outcome?.text).toContain('--evidence path:<path>')
  const asked = `path:${join(fleet.home.project, 'shop-beside')}`
  expect(fleet.fleet('bd', 'update', id, '--evidence', asked)).toMatchObject({ code: 0 })
  expect(fleet.fleet('retry', id)).toMatchObject({ code: 0 })
  await fleet.settled(id, 'closed')
  expect(fleet.receipt(id, 2).evidence).toMatchObject({
    files_changed: [join(fleet.home.project, 'shop-beside/s.txt')],
    asked: { for: asked, is_met: true },
  })
})
