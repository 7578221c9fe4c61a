import { expect, test } from 'vitest'
import { claudeEvents } from '../../src/coders/claude/events.ts'
import { codexEvents } from '../../src/coders/codex/events.ts'
import { geminiEvents } from '../../src/coders/gemini/events.ts'
import { opencodeEvents } from '../../src/coders/opencode/events.ts'
import type { CoderEvent } from '../../src/domain/run/event.ts'

/** A call of each coder with this command and this result, as its stream tells it. */
const CALLS: Readonly<Record<string, (command: string, output: string) => readonly CoderEvent[]>> = {
  claude: (command, output) => [
    ...claudeEvents(
      line({
        type: 'assistant',
        message: { content: [{ type: 'tool_use', id: '1', name: 'Bash', input: { command } }] },
      }),
    ),
    ...claudeEvents(
      line({ type: 'user', message: { content: [{ type: 'tool_result', tool_use_id: '1', content: output }] } }),
    ),
  ],
  codex: (command, output) => [
    ...codexEvents(line({ type: 'item.started', item: { id: '1', type: 'command_execution', command } })),
    ...codexEvents(
      line({
        type: 'item.completed',
        item: { id: '1', type: 'command_execution', command, aggregated_output: output },
      }),
    ),
  ],
  gemini: (command, output) => [
    ...geminiEvents(line({ type: 'tool_use', tool_id: '1', tool_name: 'run_shell_command', parameters: { command } })),
    ...geminiEvents(line({ type: 'tool_result', tool_id: '1', status: 'success', output })),
  ],
  opencode: (command, output) => {
    const state = { status: 'completed', input: { command }, output }
    return opencodeEvents(line({ type: 'tool_use', part: { tool: 'bash', callID: '1', state } }))
  },
}

function line(value: unknown): string {
  return JSON.stringify(value)
}

function prints(events: readonly CoderEvent[]) {
  const of = (type: 'tool-started' | 'tool-ended') => {
    const event = events.find((each) => each.type === type)
    return event !== undefined && 'print' in event ? event.print : undefined
  }
  return { call: of('tool-started'), result: of('tool-ended') }
}

test.each(Object.entries(CALLS))(
  'a call of %s has a fingerprint of its arguments and one of its result',
  (_, calls) => {
    const once = prints(calls('npm test', 'one test fails'))
    expect(once).toEqual({
      call: expect.stringMatching(/^[\da-f]{16}$/),
      result: expect.stringMatching(/^[\da-f]{16}$/),
    })
    expect(prints(calls('npm test', 'one test fails'))).toEqual(once)
    const other = prints(calls('npm run lint', 'it passes'))
    expect([other.call === once.call, other.result === once.result]).toEqual([false, false])
  },
)

test('the middle of a very long result does not count', () => {
  const output = (end: string) => prints(CALLS['claude']?.('cat log', `${'a'.repeat(1e6)}${end}`) ?? []).result
  expect(output('one')).toBe(output('one'))
  expect(output('one')).not.toBe(output('two'))
})
