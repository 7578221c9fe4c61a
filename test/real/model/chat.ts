import type { Usage } from '../../../src/domain/run/event.ts'
import { type Answer, events, json, type Language, type Refusal, type Reply, textsOf } from './language.ts'

/** OpenAI's chat completions, always streamed. */
export const chat: Language = {
  speaks: (path) => path.endsWith('/v1/chat/completions'),
  isTurn: ({ tools }) => Array.isArray(tools) && tools.length > 0,
  told: ({ messages }) => textsOf(messages),
  answer,
  aside: () => 'A title',
  refusal,
}

function answer({ id, says, usage }: Answer, { body }: { body: { readonly model?: unknown } }): Reply {
  const chunk = { id: `chatcmpl-${id}`, object: 'chat.completion.chunk', created: 1, model: body.model }
  const choice = (delta: object, finish_reason: string | null = null) => ({
    ...chunk,
    choices: [{ index: 0, delta, finish_reason }],
  })
  const delta = typeof says === 'string' ? { content: says } : { tool_calls: [callOf(id, says)] }
  return events(
    [
      choice({ role: 'assistant', content: '' }),
      choice(delta),
      choice({}, typeof says === 'string' ? 'stop' : 'tool_calls'),
      { ...chunk, choices: [], usage: usageOf(usage) },
    ],
    'data: [DONE]\n\n',
  )
}

function callOf(id: string, { tool, input }: Exclude<Answer['says'], string>): object {
  return { index: 0, id: `call_${id}`, type: 'function', function: { name: tool, arguments: JSON.stringify(input) } }
}

function usageOf({ input = 0, output = 0, cacheRead = 0, cacheWrite = 0, reasoning = 0 }: Usage): object {
  const prompt = input + cacheRead + cacheWrite
  return {
    prompt_tokens: prompt,
    prompt_tokens_details: { cached_tokens: cacheRead },
    completion_tokens: output,
    completion_tokens_details: { reasoning_tokens: reasoning },
    total_tokens: prompt + output,
  }
}

function refusal(refused: Refusal): Reply {
  const error = (status: number, code: string, message: string, headers: Readonly<Record<string, string>> = {}) =>
    json({ error: { type: code, code, message } }, status, headers)
  switch (refused.why) {
    case 'usage-limit': {
      const seconds = Math.max(1, Math.ceil((refused.resetsAt - Date.now()) / 1000))
      return error(429, 'usage_limit_reached', 'Usage limit reached', { 'retry-after': String(seconds) })
    }
    case 'overload':
      return error(503, 'server_is_overloaded', 'Overloaded')
    case 'login':
      return error(401, 'invalid_api_key', 'Incorrect API key provided')
  }
}
