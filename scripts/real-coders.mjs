/**
 * The coders that `npm run test:real` drives, and their versions. `programs`: where npm unpacks the program itself,
 * below node_modules; the first that runs is used. Started directly, none needs its install script, which
 * npm may not run.
 */
const PLATFORM = `${process.platform}-${process.arch}`

const CODEX_TARGETS = {
  'linux-x64': 'x86_64-unknown-linux-musl',
  'linux-arm64': 'aarch64-unknown-linux-musl',
  'darwin-x64': 'x86_64-apple-darwin',
  'darwin-arm64': 'aarch64-apple-darwin',
}

/** @type {Readonly<Record<string, { package: string, version: string, programs: readonly string[] }>>} */
export const REAL_CODERS = {
  claude: {
    package: '@anthropic-ai/claude-code',
    version: '2.1.325',
    programs: [`@anthropic-ai/claude-code-${PLATFORM}/claude`],
  },
  codex: {
    package: '@openai/codex',
    version: '0.166.0',
    programs: [`@openai/codex-${PLATFORM}/vendor/${CODEX_TARGETS[PLATFORM]}/bin/codex`],
  },
  opencode: {
    package: 'opencode-ai',
    version: '1.18.33',
    programs: [`opencode-${PLATFORM}/bin/opencode`, `opencode-${PLATFORM}-baseline/bin/opencode`],
  },
  gemini: {
    package: '@google/gemini-cli',
    version: '0.61.0',
    programs: ['@google/gemini-cli/bundle/gemini.js'],
  },
}
