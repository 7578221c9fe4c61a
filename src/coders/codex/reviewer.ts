import type { Launch, McpServers, ReviewerOrder } from '../../ports/coder.ts'
import { fields, string } from '../shared/fields.ts'
import { ALWAYS } from './always.ts'
import { codexDescriptor } from './descriptor.ts'

/** Its sandbox lets it read everything and write nothing, and blocks the network. */
const READ_ONLY = [
  '--sandbox=read-only',
  '--config=approval_policy=never',
  // No AGENTS.md: an agent could have written one beside its work.
  '--config=project_doc_max_bytes=0',
  // Connectors and the servers of plugins run outside the sandbox.
  '--config=features.apps=false',
  '--config=features.plugins=false',
]

/** The rest of the user's configuration stays: it may name the provider. */
export function launchReviewer({
  model = codexDescriptor.defaultModel,
  servers,
}: ReviewerOrder): Pick<Launch, 'args' | 'env'> {
  const chosen = model === undefined ? [] : [`--model=${model}`]
  const args = ['exec', '--json', '--skip-git-repo-check', ...chosen, ...READ_ONLY, ...servers.map(without), ...ALWAYS]
  return { args: [...args, '-'], env: {} }
}

/** An empty table of servers would change nothing: codex merges tables. */
function without(server: string): string {
  if (!/^[\w-]+$/.test(server)) throw new Error(`its MCP server ${JSON.stringify(server)} cannot be switched off`)
  return `--config=mcp_servers.${server}.enabled=false`
}

export const mcpServers: McpServers = {
  args: ['mcp', 'list', '--json'],
  named(output) {
    try {
      const listed: unknown = JSON.parse(output)
      if (!Array.isArray(listed)) return undefined
      const names = listed.map((each) => string(fields(each)?.['name']))
      return names.every((name) => name !== undefined) ? names : undefined
    } catch {
      return undefined
    }
  },
}
