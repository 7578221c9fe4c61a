/**
 * The most tokens of a prompt, for the models people run agents on. Matched against the end of a name, because one model has
 * many: `anthropic/claude-opus-5-5`, `openrouter/anthropic/claude-opus-5-5`. The first match decides.
 */
const WINDOWS: readonly (readonly [RegExp, number])[] = [
  // Claude's way to ask for the large window: `sonnet[1m]`.
  [/\[1m\]$/, 1_000_000],
  // From 4.6 on, written `opus-4-6`, `4.6-opus` or `fable-5`. Older models have more only on request.
  [/^claude-(?!.*haiku)(?:[a-z]+-?)?(?:4[-.][6-9]|[5-9]|latest)\b/, 1_000_000],
  [/^claude-/, 200_000],
  [/^gemini-(?!.*(?:image|tts|live))/, 1_048_576],
  [/^gemma-4/, 256_000],
  [/^gpt-(?:5\.[4-9]|[6-9])(?!.*(?:mini|nano))/, 922_000],
  [/^gpt-5.*spark/, 100_000],
  [/^gpt-5/, 272_000],
  [/^gpt-4\.1/, 1_047_576],
  [/^o[34]\b/, 200_000],
  [/^grok-4\.[5-9]/, 500_000],
  [/^kimi-k3/, 1_048_576],
  [/^kimi-k2/, 262_144],
  [/^glm-5\.[2-9]/, 1_000_000],
  [/^glm-(?:4\.[67]|5)(?!.*v)/, 200_000],
  [/^deepseek-(?:v4|flash)/, 1_000_000],
  [/^minimax-m2/, 204_800],
  [/^qwen3\.[5-9]/, 262_144],
]

export function windowOf(model: string): number | undefined {
  const name = model.slice(model.lastIndexOf('/') + 1).toLowerCase()
  return WINDOWS.find(([pattern]) => pattern.test(name))?.[1]
}
