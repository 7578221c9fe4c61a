import type { RealCoder } from './real-coder.ts'

export const gemini: RealCoder = {
  name: 'gemini',
  key: 'GEMINI_API_KEY',
  env: ({ url, home }) => ({ GOOGLE_GEMINI_BASE_URL: url, GEMINI_CLI_HOME: home }),
  files: () => ({
    '.gemini/settings.json': JSON.stringify({
      security: { auth: { selectedType: 'gemini-api-key' } },
      privacy: { usageStatisticsEnabled: false },
      telemetry: { enabled: false },
    }),
  }),
  alone: (prompt) => ['-o', 'stream-json', '--approval-mode', 'yolo', '--skip-trust', '-p', prompt],
  shell: (command) => ({ tool: 'run_shell_command', input: { command } }),
  write: (path, text) => ({ tool: 'write_file', input: { file_path: path, content: text } }),
  // The window of the model that it chooses itself.
  window: 1_000_000,
  // Its service has no such figure.
  unreported: ['cacheWrite'],
  // A daily quota resets at midnight.
  resets: 'midnight',
  silentIn: ['overload'],
  atOnce: 2,
  contacts: ['play.googleapis.com:443'],
}
