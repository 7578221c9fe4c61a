import type { CoderDescriptor } from '../descriptor.ts'

export const claudeDescriptor: CoderDescriptor = {
  name: 'claude',
  program: 'claude',
  defaultModel: 'sonnet',
  contextWindow: 200_000,
  startCostMs: 1200,
  variables: {
    // CLAUDECODE has no underscore.
    beginnings: ['CLAUDE'],
    families: ['ANTHROPIC'],
    names: ['API_TIMEOUT_MS', 'ENABLE_TOOL_SEARCH', 'IS_SANDBOX'],
  },
  asRoot: 'does so as root only with IS_SANDBOX=1, which fleet sets',
  stores: [
    {
      path: '.claude',
      variable: 'CLAUDE_CONFIG_DIR',
      settings: { 'settings.json': '{}\n', 'settings.local.json': '{}\n' },
      run: ['hooks', 'commands', 'agents', 'skills', 'plugins'],
    },
    { path: '.claude.json', variable: 'CLAUDE_CONFIG_DIR', below: '.claude.json' },
    { path: '.local/share/claude', isProgram: true },
    { path: '.local/state/claude' },
  ],
  load: async () => (await import('./coder.ts')).claude,
  login: async () => (await import('./login.ts')).claudeAccount,
  knowledge: {
    proven: true,
    events: 'session, text, tools, usage of each message, background work, totals with cost',
    limits: 'its own event with the reset; otherwise the words of the result',
    window: 'from a table by model, then reported with each result',
    resume: '`--resume`, by an id that fleet gives',
    messages: 'hooks of `--settings`, unless the user has switched hooks off',
    kill: 'SIGTERM ends it and its tools at once; after SIGKILL tools live on and are swept',
  },
}
