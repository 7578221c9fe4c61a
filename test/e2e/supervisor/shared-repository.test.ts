import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Step } from '../../stub-agent/stub-as.ts'
import { run } from '../../support/cli.ts'
import { claims, type Fleet, init, result, testFleet, tool, until } from '../../support/supervisor.ts'

const there = (path: string) =>
  until(
    async () => existsSync(path),
    () => `${path} exists`,
  )
const git = (cwd: string, ...argv: readonly string[]) => {
  const ran = run('git', argv, { cwd })
  expect(ran).toMatchObject({ code: 0 })
  return ran.stdout.trim()
}
const evidence = (fleet: Fleet, id: string) => {
  const { files_changed, commits, refs = [] } = fleet.receipt(id).evidence
  return { code: fleet.runs(id)[0]?.outcome?.code, files: files_changed, commits: commits?.length, refs }
}
const commits = (name: string, ...steps: readonly Step[]): Step =>
  tool(
    { write: `${name}.txt`, text: `${name}\n` },
    { git: ['add', '.'] },
    { git: ['commit', '-qm', 'Theirs'] },
    ...steps,
  )
const NOTHING = { code: 'no-evidence', files: [], commits: 0, refs: [] }

test('a run gets no commit, branch or landing of other checkouts of its repository, even while its own tool is open', async () => {
  const fleet = testFleet({ config: ['max_attempts=1'] })
  const flag = (name: string) => join(fleet.home.project, name)
  const cwd = fleet.project('shop', { git: true })
  git(cwd, 'worktree', 'add', '-q', '-b', 'other', flag('linked'))
  const waits = (name: string, ...flags: readonly string[]) => {
    const open = tool({ touch: flag(`${name} is ready`) }, { waitFor: flag('go') })
    return fleet.create(name, [init, open, claims(), result()], '--cwd', cwd, ...flags)
  }
  const idle = [waits('shared'), waits('worktree', '--isolation', 'worktree', '--evidence', 'branch')]
  const make = (name: string, path: string, ...flags: readonly string[]) =>
    fleet.create(name, [init, { waitFor: flag('begin') }, commits(name), claims(), result()], '--cwd', path, ...flags)
  const [landing, linked] = [make('lands', cwd, '--isolation', 'worktree'), make('works', flag('linked'))]
  await fleet.start()
  for (const name of ['shared', 'worktree']) await there(flag(`${name} is ready`))
  fleet.touch('begin')
  await fleet.settled(landing, 'closed')
  await fleet.settled(linked, 'closed')
  fleet.touch('go')
  for (const id of idle) await fleet.ended(id)
  expect(git(cwd, 'log', '-1', '--format=%s', 'main')).toBe('Theirs')
  expect(idle.map((id) => evidence(fleet, id))).toEqual([NOTHING, NOTHING])
  expect(evidence(fleet, linked)).toEqual({ code: 'done', files: ['works.txt'], commits: 1, refs: [] })
})

test('in a worktree, neither the unfinished branch of another task nor its files elsewhere are work of this one', async () => {
  const fleet = testFleet({ config: ['max_attempts=1'] })
  const flag = (name: string) => join(fleet.home.project, name)
  const cwd = fleet.project('shop', { git: true })
  mkdirSync(flag('reports'))
  const make = (name: string, steps: readonly Step[], ...flags: readonly string[]) =>
    fleet.create(name, [init, ...steps, claims(), result()], '--cwd', cwd, '--isolation', 'worktree', ...flags)
  const open = (name: string) => tool({ touch: flag(`${name} is ready`) }, { waitFor: flag('made') })
  const idle = make('idle', [open('idle')], '--evidence', `path:${flag('reports')}`)
  const merges = (name: string, how = '') => {
    const merge = `git -c user.name=a -c user.email=a@b merge -q --no-edit ${how} $(cat ${flag('made')})`
    return make(name, [open(name), tool({ run: ['sh', '-c', merge] })])
  }
  const merging = [merges('moves'), merges('merges', '--no-ff')]
  const report: Step = { write: flag('reports/theirs.md'), text: 'theirs\n' }
  const tip: Step = { run: ['sh', '-c', `git rev-parse HEAD >${flag('tip')}; mv ${flag('tip')} ${flag('made')}`] }
  const busy = make('busy', [{ waitFor: flag('begin') }, commits('theirs', report, tip, { waitFor: flag('end') })])
  await fleet.start()
  for (const name of ['idle', 'moves', 'merges']) await there(flag(`${name} is ready`))
  fleet.touch('begin')
  for (const id of [idle, ...merging]) await fleet.ended(id)
  expect([idle, ...merging].map((id) => evidence(fleet, id))).toEqual([NOTHING, NOTHING, NOTHING])
  fleet.touch('end')
  await fleet.settled(busy, 'closed')
  expect(evidence(fleet, busy)).toEqual({ code: 'needs-landing', files: ['theirs.txt'], commits: 1, refs: [] })
})
