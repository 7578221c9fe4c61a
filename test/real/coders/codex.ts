import { hash } from 'node:crypto'
import { join } from 'node:path'
import type { RealCoder } from './real-coder.ts'

export const codex: RealCoder = {
  name: 'codex',
  key: 'OPENAI_API_KEY',
  env: ({ home }) => ({ CODEX_HOME: join(home, '.codex') }),
  files: ({ url }) => ({
    '.codex/config.toml': `
model_provider = "loopback"

[model_providers.loopback]
name = "Loopback"
base_url = "${url}/v1"
wire_api = "responses"
env_key = "OPENAI_API_KEY"
`,
  }),
  mcpServer: (line) => ({
    path: '.codex/config.toml',
    text: `\n[mcp_servers.of-the-user]\ncommand = "sh"\nargs = ["-c", ${JSON.stringify(line)}]\n`,
  }),
  hooks: {
    ofUser: (trusted, untrusted, home) => ({
      path: '.codex/config.toml',
      text: `${[trusted, untrusted].map(hook).join('')}
[hooks.state."${home}/.codex/config.toml:pre_tool_use:0:0"]
trusted_hash = "${trustedHash(trusted)}"
`,
    }),
  },
  alone: (prompt) => ['exec', '--json', '--dangerously-bypass-approvals-and-sandbox', prompt],
  // Its models call tools from a script.
  shell: (command) =>
    script(`(await tools.exec_command({ cmd: ${JSON.stringify(command)}, yield_time_ms: 30000 })).output`),
  write: (path, text) => {
    const lines = text.trimEnd().split('\n')
    const patch = ['*** Begin Patch', `*** Add File: ${path}`, ...lines.map((line) => `+${line}`), '*** End Patch', '']
    return script(`await tools.apply_patch(${JSON.stringify(patch.join('\n'))})`)
  },
  // As it reports in its rollout.
  window: 258_400,
  unreported: [],
  resets: 'reported',
  silentIn: [],
  atOnce: 3,
  contacts: ['github.com:443', 'api.github.com:443', 'chatgpt.com:443', 'ab.chatgpt.com:443'],
}

function script(expression: string) {
  return { tool: 'exec', input: `text(${expression})` }
}

function hook(command: string): string {
  return `\n[[hooks.PreToolUse]]\nmatcher = "*"\n[[hooks.PreToolUse.hooks]]\ntype = "command"\ncommand = ${JSON.stringify(command)}\n`
}

/** As codex itself writes it when a user trusts the hook. */
function trustedHash(command: string): string {
  const handler = { async: false, command, timeout: 600, type: 'command' }
  return `sha256:${hash('sha256', JSON.stringify({ event_name: 'pre_tool_use', hooks: [handler], matcher: '*' }))}`
}
