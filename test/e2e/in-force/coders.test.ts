import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { claims, hang, init, result, testFleet, writes } from '../../support/supervisor.ts'
import { rowsOf } from './rows.ts'

const { row, expectAll } = rowsOf('coders')

test('settings of a coder', async () => {
  const fleet = testFleet({
    coder: 'my-agent',
    config: [
      'coder=mine',
      'coders.mine.command=["my-agent", "--session-id", "{session}", "--model", "{model}", "{prompt_file}"]',
      'coders.mine.resume=["my-agent", "--resume={session}", "--model", "{model}"]',
      'coders.mine.format=claude',
      'coders.mine.model=m-1',
      'coders.mine.context_window=50000',
      'coders.mine.env.GREETING=hello',
      'coders.plain.command=["my-agent", "{prompt_file}"]',
      'coders.plain.claim=exit',
    ],
  })
  const steps = [
    [init, result('not yet')],
    [init, writes('x.txt', '$GREETING'), claims(), result()],
  ]
  const resumed = fleet.create('Goes on in its session', steps)
  // 48,000 tokens are 96 % of this window, and a quarter of the one that claude's format would have. Its own model, because
  // the stream of another run may already have told the window of m-1.
  const filling = [
    [init, { claude: 'text', text: 'much', usage: { input: 48_000, cacheWrite: 0, cacheRead: 0 } }, hang],
    [init, writes('y.txt'), claims(), result()],
  ]
  const full = fleet.create('Fills its window', filling, '--model', 'm-2')
  const plain = fleet.create('Ends', [{ emit: 'fine' }, { write: 'z.txt', text: 'z' }], '--coder', 'plain')
  await fleet.start()

  await row('coders.*.command', async () => {
    await fleet.started(resumed)
    const [first] = fleet.starts(resumed)
    const [session] = fleet.runs(resumed).map(({ id }) => id)
    const prompt = join(fleet.home.path, 'tasks', resumed, 'attempts', '1', 'prompt.md')
    expect(first?.argv).toEqual(['--session-id', session, '--model', 'm-1', prompt])
  })
  await row('coders.*.model', () => expect(fleet.starts(resumed)[0]?.argv).toContain('m-1'))
  await row('coders.*.resume', async () => {
    const [session] = fleet.runs(resumed).map(({ id }) => id)
    expect((await fleet.started(resumed, 2)).argv).toEqual([`--resume=${session}`, '--model', 'm-1'])
  })
  await row('coders.*.env', async () => {
    await fleet.settled(resumed, 'closed')
    expect(readFileSync(join(fleet.starts(resumed)[1]?.cwd ?? '', 'x.txt'), 'utf8')).toBe('hello')
  })
  await row('coders.*.format', () => {
    // Of a coder that prints text no tool call is seen.
    expect(fleet.text(resumed, 'events.jsonl')).toContain('"tool-started"')
  })
  await row('coders.*.context_window', async () => {
    expect((await fleet.ended(full)).outcome).toMatchObject({ code: 'context-full' })
    await fleet.settled(full, 'closed')
  })
  await row('coders.*.claim', async () => {
    await fleet.settled(plain, 'closed')
    expect(fleet.runs(plain)).toHaveLength(1)
  })
})

test('every row of this file was shown', () => expectAll())
