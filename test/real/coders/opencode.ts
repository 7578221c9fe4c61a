import type { RealCoder } from './real-coder.ts'

const WINDOW = 128_000

export const opencode: RealCoder = {
  name: 'opencode',
  key: 'OPENAI_API_KEY',
  env: () => ({
    OPENCODE_DISABLE_AUTOUPDATE: '1',
    OPENCODE_DISABLE_MODELS_FETCH: '1',
    OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
  }),
  files: ({ url }) => ({
    '.config/opencode/opencode.json': JSON.stringify({
      share: 'disabled',
      autoupdate: false,
      model: 'loopback/model',
      small_model: 'loopback/model',
      permission: { '*': 'allow' },
      provider: {
        loopback: {
          npm: '@ai-sdk/openai-compatible',
          options: { baseURL: `${url}/v1`, apiKey: '{env:OPENAI_API_KEY}' },
          models: { model: { limit: { context: WINDOW, output: 8000 }, tool_call: true } },
        },
      },
    }),
  }),
  alone: (prompt) => ['run', '--format', 'json', prompt],
  shell: (command) => ({ tool: 'bash', input: { command, description: 'Do it' } }),
  write: (path, text) => ({ tool: 'write', input: { filePath: path, content: text } }),
  window: WINDOW,
  unreported: [],
  resets: 'unreported',
  silentIn: ['usage-limit', 'overload'],
  atOnce: 2,
  contacts: ['registry.npmjs.org:443'],
}
