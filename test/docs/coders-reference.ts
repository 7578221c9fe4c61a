import type { CoderDescriptor } from '../../src/coders/descriptor.ts'
import { CODERS } from '../../src/coders/registry.ts'

/** docs/reference/coders.md, from the descriptors. */
export function codersReference(): string {
  const rows = CODERS.map(row)
  const untried = CODERS.flatMap(({ name, knowledge: { untried: parts = [] } }) => {
    return parts.length === 0 ? [] : [`## Not tried of ${name}\n\n${parts.map((part) => `- ${part}`).join('\n')}\n`]
  })
  return `# What fleet knows about each coder

Generated from \`src/coders\` by \`npm run docs\`; do not edit.

*Tried* means that what it prints and how it ends were recorded from the real program, and every recording is judged in the tests; *not tried* that it is written from what others have published. [Adding a coder](../guide/coders.md) of your own takes a few lines.

| coder | | reports | a usage limit | context window | default model | resuming a session | a message at work | stopping it |
|---|---|---|---|---|---|---|---|---|
${rows.join('\n')}

${untried.join('\n')}`
}

function row({ name, program, contextWindow, defaultModel, knowledge }: CoderDescriptor): string {
  const { proven, events, limits, window, resume, messages = 'in its next prompt', kill } = knowledge
  const runs = proven ? 'tried' : '**not tried**'
  const tokens = contextWindow === undefined ? window : `${window}; else ${shortly(contextWindow)}`
  const model = defaultModel ?? (program === undefined ? 'none' : 'its own')
  return `| \`${name}\` | ${[runs, events, limits, tokens, model, resume, program === undefined ? 'none' : messages, kill].join(' | ')} |`
}

function shortly(tokens: number): string {
  return tokens < 1_000_000 ? `${tokens / 1000}k` : `${tokens / 1_000_000}M`
}
