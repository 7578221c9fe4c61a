import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../support/cli.ts'
import { hang, init, says, testFleet, until } from '../../support/supervisor.ts'

/** A line of claude's transcript. */
const record = (id: string, output: number, timestamp = new Date().toISOString()): string =>
  `${JSON.stringify({
    type: 'assistant',
    isSidechain: false,
    timestamp,
    message: {
      id,
      model: 'sonnet',
      usage: {
        input_tokens: 12,
        cache_creation_input_tokens: 100,
        cache_read_input_tokens: 14_000,
        output_tokens: output,
      },
    },
  })}\n`

test("a claude run that was stopped counts the output tokens of claude's own transcript, also in a directory behind a link", async () => {
  const config = temporaryFolder()
  const fleet = testFleet({ config: [`coders.claude.env.CLAUDE_CONFIG_DIR=${config}`, 'timeouts.idle=10m'] })
  const project = fleet.project('p')
  const link = join(temporaryFolder(), 'link')
  symlinkSync(project, link)
  const folder = join(config, 'projects', project.replaceAll(/[^a-z0-9]/gi, '-'))
  mkdirSync(folder, { recursive: true })
  const [first, second] = ['msg_00000000000000000001', 'msg_00000000000000000002'] as const
  const late = new Date(Date.now() + 3_600_000).toISOString()
  const text = [
    record('msg_of_an_earlier_run', 500, '2026-01-01T00:00:00Z'),
    record(first, 1, late),
    record(first, 40, late),
    record(second, 41, late),
  ].join('')
  const transcript = { write: `${folder}/$FLEET_RUN_ID.jsonl`, text }
  const id = fleet.create('Stopped', [init, says('One'), says('Two'), transcript, hang], '--cwd', link)
  await fleet.start()
  await until(
    async () => fleet.runs(id)[0]?.figures.usage.output === 81,
    () => `the transcript is read: ${JSON.stringify(fleet.runs(id)[0]?.figures)}`,
  )
  expect(fleet.fleet('kill', id).code).toBe(0)
  await fleet.settled(id, 'blocked')
  expect(fleet.runs(id)[0]?.figures.usage).toEqual({ input: 24, output: 81, cacheRead: 28_000, cacheWrite: 200 })
  expect(fleet.receipt(id).usage).toMatchObject({ output: 81, estimated: true })
})
