import type { CoderDescriptor } from '../descriptor.ts'

export const codexDescriptor: CoderDescriptor = {
  name: 'codex',
  program: 'codex',
  contextWindow: 128_000,
  startCostMs: 200,
  variables: { families: ['CODEX', 'OPENAI', 'AZURE_OPENAI'] },
  stores: [{ path: '.codex', variable: 'CODEX_HOME', settings: { 'config.toml': '' }, run: ['rules', 'plugins'] }],
  load: async () => (await import('./coder.ts')).codex,
  login: async () => (await import('./login.ts')).codexAccount,
  knowledge: {
    proven: true,
    events: 'session, text, tools, usage at the end of a turn; no cost',
    limits: 'the words of the failed turn; the reset from its rollout file',
    window: 'from its rollout file',
    resume: '`exec resume`, by the id it reports',
    messages: 'hooks of `--config`, trusted for the run',
    kill: 'SIGTERM ends it and its tools at once',
  },
}
