import { join } from 'node:path'
import type { RealCoder } from './real-coder.ts'

const WINDOW = 128_000
const NO_MODELS = '.config/opencode/models.json'

export const opencode: RealCoder = {
  name: 'opencode',
  key: 'OPENAI_API_KEY',
  env: ({ home }) => ({
    // Without it each start reads the models of every provider there is, for two seconds.
    OPENCODE_MODELS_PATH: join(home, NO_MODELS),
    OPENCODE_DISABLE_AUTOUPDATE: '1',
    OPENCODE_DISABLE_MODELS_FETCH: '1',
    OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
  }),
  files: ({ url }) => ({
    [NO_MODELS]: '{}',
    // As after a first start with a network, which installs this package for plugins.
    '.config/opencode/node_modules/.keep': '',
    '.config/opencode/package-lock.json': JSON.stringify({
      packages: { '': { dependencies: { '@opencode-ai/plugin': '*' } } },
    }),
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
  contacts: [],
}
