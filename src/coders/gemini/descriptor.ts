import type { CoderDescriptor } from '../descriptor.ts'

export const geminiDescriptor: CoderDescriptor = {
  name: 'gemini',
  program: 'gemini',
  contextWindow: 1_000_000,
  startCostMs: 1500,
  variables: {
    // A cloud project (GOOGLE_CLOUD_PROJECT) belongs to the person: logins of a company do not work without it.
    families: [
      'GEMINI',
      'GOOGLE_API',
      'GOOGLE_GEMINI',
      'GOOGLE_GENAI',
      'GOOGLE_GENERATIVE_AI',
      'GOOGLE_VERTEX',
      'VERTEX',
    ],
    names: ['CLOUD_CODE_URL', 'CODE_ASSIST_ENDPOINT'],
  },
  stores: [{ path: '.gemini', variable: 'GEMINI_CLI_HOME', below: '.gemini' }],
  load: async () => (await import('./coder.ts')).gemini,
  login: async () => (await import('./login.ts')).geminiAccount,
  knowledge: {
    proven: true,
    events: 'session, text, tools, totals at the end; usage of each message in the chat it keeps; no cost',
    limits: 'the error of its result and its exit status; it retries for minutes, with messages on stderr only',
    window: 'never reported; by the name of the model',
    resume: '`--resume`, by the id it reports',
    kill: 'SIGTERM ends it at once; tools live on and are swept',
  },
}
