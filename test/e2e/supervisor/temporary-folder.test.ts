import { join } from 'node:path'
import { expect, test } from 'vitest'
import { claims, init, result, testFleet, tool, writes } from '../../support/supervisor.ts'

test('files that a run leaves in its TMPDIR are counted on its receipt and deleted', async () => {
  const fleet = testFleet({ config: ['max_attempts=1'] })
  const leaves = { run: ['sh', '-c', 'mkdir "$TMPDIR/deep" && head -c 3000 /dev/zero >"$TMPDIR/deep/file"'] }
  const agent = fleet.create('An agent', [init, tool(leaves), writes('made.txt'), claims(), result()])
  const script = fleet.create('A script', 'echo "$TMPDIR"; head -c 70 /dev/zero >"$TMPDIR/file"; exit 3')
  const tidy = fleet.create('A tidy one', 'f=$(mktemp); rm "$f"')
  await fleet.start()
  await fleet.settled(agent, 'closed')
  await fleet.settled(script, 'blocked')
  await fleet.settled(tidy, 'closed')
  expect([agent, script, tidy].map((id) => fleet.receipt(id).tmp_bytes)).toEqual([3000, 70, 0])
  expect(fleet.text(script, 'attempts', '1', 'stdout.jsonl').trim()).toBe(
    join(fleet.home.path, 'tasks', script, 'attempts', '1', 'tmp'),
  )
  for (const id of [agent, script, tidy]) expect(fleet.exists(id, 'attempts', '1', 'tmp')).toBe(false)
})
