import type { Usage } from '../../../src/domain/run/event.ts'
import { type Answer, type Asked, events, json, type Language, type Refusal, type Reply, textsOf } from './language.ts'

/** Gemini's generateContent, streamed or whole. */
export const gemini: Language = {
  speaks: (path) => /:(?:streamG|g)enerateContent$/.test(path),
  isTurn: ({ tools }) => Array.isArray(tools) && tools.length > 0,
  told: ({ contents }) => textsOf(contents),
  answer,
  aside: ({ generationConfig }) => JSON.stringify(sampleOf((generationConfig as Config)?.responseJsonSchema)),
  refusal,
}

interface Config {
  readonly responseJsonSchema?: Schema
}

interface Schema {
  readonly type?: string
  readonly properties?: Readonly<Record<string, Schema>>
}

/** Side requests want JSON in a schema that they contain. */
function sampleOf(schema: Schema = {}): unknown {
  switch (schema.type?.toLowerCase()) {
    case 'object':
      return Object.fromEntries(
        Object.entries(schema.properties ?? {}).map(([name, property]) => [name, sampleOf(property)]),
      )
    case 'integer':
    case 'number':
      return 1
    case 'boolean':
      return false
    case 'array':
      return []
    default:
      return 'yes'
  }
}

function answer({ id, says, usage }: Answer, { path }: Asked): Reply {
  const part =
    typeof says === 'string'
      ? { text: says }
      : { functionCall: { id: `call_${id}`, name: says.tool, args: says.input } }
  const [, modelVersion] = /models\/([^:]+):/.exec(path) ?? []
  const made = {
    candidates: [{ index: 0, content: { role: 'model', parts: [part] }, finishReason: 'STOP' }],
    usageMetadata: usageOf(usage),
    modelVersion,
    responseId: id,
  }
  return path.endsWith(':generateContent') ? json(made) : events([made])
}

function usageOf({ input = 0, output = 0, cacheRead = 0, reasoning = 0 }: Usage): object {
  return {
    promptTokenCount: input + cacheRead,
    cachedContentTokenCount: cacheRead,
    candidatesTokenCount: output,
    thoughtsTokenCount: reasoning,
    totalTokenCount: input + cacheRead + output + reasoning,
  }
}

function refusal(refused: Refusal): Reply {
  switch (refused.why) {
    case 'usage-limit': {
      const seconds = Math.max(1, Math.ceil((refused.resetsAt - Date.now()) / 1000))
      const violations = [{ quotaMetric: 'requests', quotaId: 'GenerateRequestsPerDayPerProjectPerModel' }]
      return error(429, 'RESOURCE_EXHAUSTED', 'You exceeded your current quota.', [
        { '@type': 'type.googleapis.com/google.rpc.QuotaFailure', violations },
        { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: `${seconds}s` },
      ])
    }
    case 'overload':
      return error(503, 'UNAVAILABLE', 'The model is overloaded. Please try again later.')
    case 'login':
      return error(401, 'UNAUTHENTICATED', 'API key not valid. Please pass a valid API key.')
  }
}

function error(code: number, status: string, message: string, details: readonly object[] = []): Reply {
  return json({ error: { code, status, message, details } }, code)
}
