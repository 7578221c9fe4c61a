import type { Usage } from '../../../src/domain/run/event.ts'
import { type Answer, type Body, events, json, type Language, type Refusal, type Reply, textsOf } from './language.ts'

/** OpenAI's Responses, always streamed. */
export const responses: Language = {
  speaks: (path) => path.endsWith('/v1/responses'),
  isTurn: (body) => offersTools(body),
  told: ({ input }) => textsOf(input),
  answer,
  aside: () => 'Yes.',
  refusal,
}

/** Some models get their tools within the conversation. */
function offersTools({ tools, input }: Body): boolean {
  const within = Array.isArray(input) ? input.filter((item) => item?.type === 'additional_tools') : []
  return (Array.isArray(tools) && tools.length > 0) || within.length > 0
}

function answer({ id, says, usage }: Answer): Reply {
  const response = { id: `resp_${id}`, object: 'response' }
  const item = itemOf(id, says)
  return events([
    { type: 'response.created', response: { ...response, status: 'in_progress' } },
    { type: 'response.output_item.added', output_index: 0, item: { ...item, status: 'in_progress' } },
    { type: 'response.output_item.done', output_index: 0, item: { ...item, status: 'completed' } },
    {
      type: 'response.completed',
      response: { ...response, status: 'completed', output: [item], usage: usageOf(usage) },
    },
  ])
}

/** Tools with text input are called differently from tools with fields. */
function itemOf(id: string, says: Answer['says']): object {
  if (typeof says === 'string') {
    const content = [{ type: 'output_text', text: says, annotations: [] }]
    return { type: 'message', id: `msg_${id}`, role: 'assistant', content }
  }
  const { tool: name, input } = says
  const call = { call_id: `call_${id}`, name }
  return typeof input === 'string'
    ? { type: 'custom_tool_call', id: `ctc_${id}`, ...call, input }
    : { type: 'function_call', id: `fc_${id}`, ...call, arguments: JSON.stringify(input) }
}

function usageOf({ input = 0, output = 0, cacheRead = 0, cacheWrite = 0, reasoning = 0 }: Usage): object {
  const prompt = input + cacheRead + cacheWrite
  return {
    input_tokens: prompt,
    input_tokens_details: { cached_tokens: cacheRead, cache_write_tokens: cacheWrite },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: reasoning },
    total_tokens: prompt + output,
  }
}

function refusal(refused: Refusal): Reply {
  switch (refused.why) {
    case 'usage-limit': {
      const resets_at = refused.resetsAt / 1000
      const resets_in_seconds = Math.max(0, Math.round(resets_at - Date.now() / 1000))
      const error = { type: 'usage_limit_reached', plan_type: 'plus', resets_at, resets_in_seconds }
      const headers = {
        'x-codex-primary-used-percent': '100',
        'x-codex-primary-window-minutes': '300',
        'x-codex-primary-reset-at': String(resets_at),
      }
      return json({ error: { ...error, message: 'The usage limit has been reached' } }, 429, headers)
    }
    case 'overload':
      return json({ error: { type: 'server_error', code: 'server_is_overloaded', message: 'Overloaded' } }, 503)
    case 'login': {
      const error = { type: 'invalid_request_error', code: 'invalid_api_key', message: 'Incorrect API key provided' }
      return json({ error }, 401)
    }
  }
}
