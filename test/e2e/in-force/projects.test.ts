import { expect, test } from 'vitest'
import { claims, healthy, init, result, testFleet, writes } from '../../support/supervisor.ts'
import { rowsOf } from './rows.ts'

const { row, expectAll } = rowsOf('projects')

test('settings of a project', async () => {
  const fleet = testFleet({ config: ['coder=shell'] })
  const [web, api, outside] = ['web', 'api', 'outside'].map((name) => fleet.project(name)) as [string, string, string]
  const shop = fleet.project('shop', { git: true })
  const set = fleet.fleet(
    ...['config', 'set', `projects.${web}.coder=claude`, `projects.${web}.model=opus-7`],
    ...[`projects.${web}.close_at=claimed`, `projects.${api}/.max_concurrent=1`],
    ...[`projects.${shop}.verify=test -e made`, `projects.${shop}.tamper=warn`],
    `projects.${shop}.tamper_include=["*.expected", "!go.mod"]`,
  )
  expect(set).toMatchObject({ code: 0, stderr: '' })
  const word = fleet.create('Claims without evidence', [init, claims('my word'), result()], '--cwd', web)
  // Two at once would find the folder of the other.
  const alone = 'mkdir busy || { touch met; exit 1; }; sleep 1; rmdir busy'
  const turns = ['a', 'b', 'c'].map((name) => fleet.create(name, alone, '--cwd', api))
  const elsewhere = fleet.create('Elsewhere', 'true', '--cwd', outside)
  const verified = fleet.create('Verified', 'touch made', '--cwd', shop)
  const cheat = fleet.create(
    'Changes its tests',
    [init, writes('made'), writes('Makefile', 'own\n'), claims(), result()],
    ...['--cwd', shop, '--coder', 'claude', '--verify', 'grep -q own Makefile'],
  )
  const named = fleet.create(
    'Changes files that the project names',
    [init, writes('made'), writes('a.expected', 'own\n'), writes('go.mod', 'own\n'), claims(), result()],
    ...['--cwd', shop, '--coder', 'claude', '--verify', 'grep -q own a.expected && grep -q own go.mod'],
  )
  await fleet.start()

  await row('projects.*.close_at', async () => {
    await fleet.settled(word, 'closed')
    expect(fleet.receipt(word)).toMatchObject({ level: 'claimed' })
  })
  await row('projects.*.verify', async () => {
    await fleet.settled(verified, 'closed')
    expect(fleet.receipt(verified)).toMatchObject({
      level: 'verified',
      checks: [{ name: 'verify', verdict: 'passed' }],
    })
  })
  await row('projects.*.tamper', async () => {
    await fleet.settled(cheat, 'closed')
    expect(fleet.receipt(cheat).warnings).toContain('passes only with its own version of Makefile')
  })
  await row('projects.*.tamper_include', async () => {
    await fleet.settled(named, 'closed')
    expect(fleet.receipt(named).warnings).toContain('passes only with its own version of a.expected')
  })
  await row('projects.*.coder', async () => {
    await fleet.settled(elsewhere, 'closed')
    expect([fleet.runs(word)[0]?.coder, fleet.runs(elsewhere)[0]?.coder]).toEqual(['claude', 'shell'])
  })
  await row('projects.*.model', async () => expect((await fleet.started(word)).argv).toContain('--model=opus-7'))
  await row('projects.*.max_concurrent', async () => {
    for (const id of turns) await fleet.settled(id, 'closed')
    expect(turns.map((id) => fleet.runs(id).length)).toEqual([1, 1, 1])
  })
})

test('how many tasks of a project may wait for a review', async () => {
  const fleet = testFleet()
  const lib = fleet.project('lib')
  fleet.fleet('config', 'set', `projects.${lib}.close_at=reviewed`, `projects.${lib}.max_unreviewed=1`)
  const first = fleet.create('First', healthy('first.txt'), '--cwd', lib)
  await fleet.start()
  await fleet.settled(first, 'blocked')
  const next = fleet.create('Next', healthy('next.txt'), '--cwd', lib)
  // Claims go by age: this one is younger, and another project's.
  const other = fleet.create('Other', healthy('other.txt'))

  await row('projects.*.max_unreviewed', async () => {
    await fleet.settled(other, 'closed')
    expect(fleet.starts(next)).toEqual([])
    expect(fleet.fleet('show', next).stdout.replaceAll(/\n +/g, ' ')).toContain(
      `1 task of ${lib} waits for a review, and max_unreviewed is 1 (fleet review)`,
    )
    expect(fleet.fleet('tasks').stdout).toContain(`${lib}: 1 task waits for a review, so no more are started`)
    expect(fleet.fleet('review', first, '--accept').code).toBe(0)
    await fleet.settled(next, 'blocked')
    // Closed by hand, it waits no longer, either.
    const last = fleet.create('Last', healthy('last.txt'), '--cwd', lib)
    expect(fleet.fleet('bd', 'close', next).code).toBe(0)
    await fleet.settled(last, 'blocked')
  })
})

test('another coder that reviews the work', async () => {
  const fleet = testFleet()
  const lib = fleet.project('lib')
  fleet.fleet('config', 'set', `projects.${lib}.review_by=shell`)
  const id = fleet.create('Reviewed', healthy('made.txt'), '--cwd', lib)
  await fleet.start()
  await row('projects.*.review_by', async () => {
    await fleet.settled(id, 'blocked')
    expect(fleet.receipt(id).outcome.text).toBe('not reviewed by shell: fleet knows no read-only mode of shell')
  })
})

test('where the tasks of a project may write', async () => {
  const fleet = testFleet()
  const [lib, old] = ['lib', 'old'].map((name) => fleet.project(name)) as [string, string]
  fleet.fleet('config', 'set', `projects.${lib}.scope=["src/**"]`, `projects.${old}.read_only=true`)
  // No hook sees through it.
  const builds = {
    claude: 'tool',
    name: 'Bash',
    input: { command: 'make' },
    do: [{ write: 'made.txt', text: 'work\n' }],
  }
  const steps = [init, builds, claims(), result()]
  const [inLib, inOld] = [lib, old].map((cwd) => fleet.create('Writes', steps, '--cwd', cwd)) as [string, string]
  await fleet.start()
  await row('projects.*.scope', async () => {
    await fleet.settled(inLib, 'blocked')
    expect(fleet.receipt(inLib).outcome.text).toBe('changed made.txt, outside of its scope src/**')
  })
  await row('projects.*.read_only', async () => {
    await fleet.settled(inOld, 'blocked')
    expect(fleet.receipt(inOld).outcome.text).toBe('changed made.txt, and may change nothing: it is read-only')
  })
})

test('every row of this file was shown', () => expectAll())
