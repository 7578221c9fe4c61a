import type { Usage } from '../../../src/domain/run/event.ts'
import { type Answer, events, json, type Language, type Refusal, type Reply, textsOf } from './language.ts'

/** Anthropic's Messages. */
export const anthropic: Language = {
  speaks: (path) => path.endsWith('/v1/messages'),
  isTurn: ({ tools }) => Array.isArray(tools) && tools.length > 0,
  told: ({ messages }) => textsOf(messages),
  answer: (answer, { body }) =>
    body['stream'] === true ? streamed(answer, body['model']) : whole(answer, body['model']),
  aside: () => 'Yes.',
  refusal,
}

function streamed(answer: Answer, model: unknown): Reply {
  const { says, usage } = answer
  const [block, delta] =
    typeof says === 'string'
      ? [
          { type: 'text', text: '' },
          { type: 'text_delta', text: says },
        ]
      : [
          { type: 'tool_use', id: `toolu_${answer.id}`, name: says.tool, input: {} },
          { type: 'input_json_delta', partial_json: JSON.stringify(says.input) },
        ]
  return events([
    {
      type: 'message_start',
      message: message(answer, model, { content: [], usage: { ...usageOf(usage), output_tokens: 1 } }),
    },
    { type: 'content_block_start', index: 0, content_block: block },
    { type: 'content_block_delta', index: 0, delta },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: stopReason(answer), stop_sequence: null }, usage: usageOf(usage) },
    { type: 'message_stop' },
  ])
}

function whole(answer: Answer, model: unknown): Reply {
  const { says } = answer
  const block =
    typeof says === 'string'
      ? { type: 'text', text: says }
      : { type: 'tool_use', id: `toolu_${answer.id}`, name: says.tool, input: says.input }
  const content = { content: [block], stop_reason: stopReason(answer), usage: usageOf(answer.usage) }
  return json(message(answer, model, content))
}

function message({ id }: Answer, model: unknown, more: object): object {
  return { id: `msg_${id}`, type: 'message', role: 'assistant', model, stop_reason: null, stop_sequence: null, ...more }
}

function stopReason({ says }: Answer): string {
  return typeof says === 'string' ? 'end_turn' : 'tool_use'
}

function usageOf({ input = 0, output = 0, cacheRead = 0, cacheWrite = 0 }: Usage): object {
  return {
    input_tokens: input,
    output_tokens: output,
    cache_read_input_tokens: cacheRead,
    cache_creation_input_tokens: cacheWrite,
  }
}

function refusal(refused: Refusal): Reply {
  switch (refused.why) {
    case 'usage-limit': {
      // Headers for a subscription: an API key has no such limit.
      const reset = String(refused.resetsAt / 1000)
      const unified = {
        status: 'rejected',
        reset,
        'representative-claim': 'five_hour',
        '5h-status': 'rejected',
        '5h-reset': reset,
        '5h-utilization': '1',
      }
      const headers = Object.entries(unified).map(([name, value]) => [`anthropic-ratelimit-unified-${name}`, value])
      return error(
        429,
        'rate_limit_error',
        'This request would exceed your account limit.',
        Object.fromEntries(headers),
      )
    }
    case 'overload':
      return error(529, 'overloaded_error', 'Overloaded')
    case 'login':
      return error(401, 'authentication_error', 'invalid x-api-key')
  }
}

function error(status: number, type: string, text: string, headers: Readonly<Record<string, string>> = {}): Reply {
  return json({ type: 'error', error: { type, message: text } }, status, headers)
}
