import { join } from 'node:path'
import type { RealCoder } from './real-coder.ts'

export const claude: RealCoder = {
  name: 'claude',
  // A subscription's: with an API key, claude learns nothing about limits that reset.
  key: 'CLAUDE_CODE_OAUTH_TOKEN',
  env: ({ url, home }) => ({ ANTHROPIC_BASE_URL: url, CLAUDE_CONFIG_DIR: join(home, '.claude') }),
  files: () => ({}),
  mcpServer: (line) => ({
    path: '.claude/.claude.json',
    text: JSON.stringify({ mcpServers: { 'of-the-user': { command: 'sh', args: ['-c', line] } } }),
  }),
  hooks: {
    ofUser: (line) => ({ path: '.claude/settings.json', text: JSON.stringify({ hooks: before(line) }) }),
  },
  alone: (prompt) => ['-p', '--output-format=stream-json', '--verbose', '--allowedTools=Bash,Write', '--', prompt],
  shell: (command) => ({ tool: 'Bash', input: { command, description: 'Do it' } }),
  write: (path, text) => ({ tool: 'Write', input: { file_path: path, content: text } }),
  window: 1_000_000,
  unreported: [],
  resets: 'reported',
  silentIn: [],
  atOnce: 2,
  contacts: [],
}

function before(command: string) {
  return { PreToolUse: [{ matcher: '*', hooks: [{ type: 'command', command }] }] }
}
