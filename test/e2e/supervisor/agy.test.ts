import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Run } from '../../../src/domain/run/run.ts'
import { type Fleet, testFleet } from '../../support/supervisor.ts'

const CONVERSATION = '3f2b8c1e-5d74-4a0b-9c11-0e6a7d2f9b40'
const START = { emit: { event: 'init', conversation_id: CONVERSATION, init: { model: 'gemini-3-pro-high' } } }

const step = (state: string, tool: string) => ({
  emit: { event: 'step_update', step_update: { step_index: 1, state, step_type: 'tool', tool_name: tool } },
})

const end = (response: string) => ({
  emit: {
    event: 'result',
    result: { status: 'SUCCESS', response, usage: { input_tokens: 900, output_tokens: 40, total_tokens: 940 } },
  },
})

/** It may write to its directory and to what fleet gives it, and its turns last as long as fleet lets them. */
function always(fleet: Fleet, id: string): readonly string[] {
  const task = join(fleet.home.path, 'tasks', id)
  const folders = [(fleet.runs(id)[0] as Run).cwd, join(task, 'artifacts'), join(task, 'inbox')]
  return [...folders.map((folder) => `--add-dir=${folder}`), '--print-timeout=24h']
}

/** A stub prints what the real program is documented to print; the real one was not available. */
test('agy completes a task in one conversation', async () => {
  const fleet = testFleet({ coder: 'agy', config: ['coder=agy'] })
  const id = fleet.create('With events', [
    [START, end('not yet')],
    [
      START,
      step('ACTIVE', 'write_to_file'),
      { write: 'x.txt', text: 'work' },
      { fleet: ['done', 'written'] },
      step('DONE', 'write_to_file'),
      end('Done.'),
    ],
  ])
  await fleet.start()
  await fleet.settled(id, 'closed')
  const flags = ['--input-format=stream-json', '--output-format=stream-json']
  expect(fleet.starts(id).map(({ argv }) => argv)).toEqual([
    [...flags, '--dangerously-skip-permissions', ...always(fleet, id)],
    [...flags, `--conversation=${CONVERSATION}`, '--dangerously-skip-permissions', ...always(fleet, id)],
  ])
  const { checks } = JSON.parse(fleet.fleet('doctor', '--json').stdout)
  expect(checks).toContainEqual({
    name: 'coder agy',
    state: 'ok',
    found: `1.2.17 (${join(fleet.stub.folder, 'agy')}); fleet knows it from what others wrote, untried`,
  })
  expect(fleet.receipt(id, 2)).toMatchObject({
    served_model: 'gemini-3-pro-high',
    level: 'evidenced',
    usage: { input: 900, output: 40, estimated: false },
  })
})

test('an agy version without events is detected first, gets its prompt as one line, and is read as text', async () => {
  const fleet = testFleet({ coder: 'agy', config: ['coder=agy', 'close_at=claimed'] })
  const program = join(fleet.stub.folder, 'agy')
  writeFileSync(program, readFileSync(program, 'utf8').replace('1.2.17', '1.1.7'))
  const id = fleet.create('Without events', [{ fleet: ['done', 'written'] }, { emit: 'I wrote it.' }])
  await fleet.start()
  await fleet.settled(id, 'closed')
  const prompt = join(fleet.home.path, 'tasks', id, 'attempts', '1', 'prompt.md')
  expect(fleet.starts(id).map(({ argv }) => argv)).toEqual([
    ['-p', `Read ${prompt} to its end and do what it says.`, '--dangerously-skip-permissions', ...always(fleet, id)],
  ])
  expect(fleet.text(id, 'events.jsonl')).toContain('"text":"I wrote it."')
})
