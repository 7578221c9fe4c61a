import { CODERS, type CoderInfo, coderFor } from '../../src/coders/registry.ts'
import { KNOWLEDGE, type Knowledge } from '../../src/coders/shared/knowledge.ts'

/** docs/reference/coders.md: what the registry, the coders themselves and their table of knowledge say. */
export async function codersReference(): Promise<string> {
  const rows = await Promise.all(CODERS.map(row))
  const untried = CODERS.flatMap(({ name }) => {
    const { untried: parts = [] } = knowledgeOf(name)
    return parts.length === 0 ? [] : [`## Not tried of ${name}\n\n${parts.map((part) => `- ${part}`).join('\n')}\n`]
  })
  return `# What fleet knows about each coder

Generated from \`src/coders\` by \`npm run docs\`; do not edit.

*Tried* means that what it prints and how it ends were recorded from the real program, and every recording is judged in the tests; *not tried* that it is written from what others have published. [Adding a coder](../guide/coders.md) of your own takes a few lines.

| coder | | tells | a usage limit | context window | default model | goes on with a session | ending it |
|---|---|---|---|---|---|---|---|
${rows.join('\n')}

${untried.join('\n')}`
}

async function row({ name, contextWindow, defaultModel }: CoderInfo): Promise<string> {
  const { proven, events, limits, window, resume, kill } = knowledgeOf(name)
  const runs = (await coderFor(name)) === undefined ? 'fleet cannot run it yet' : proven ? 'tried' : '**not tried**'
  const tokens = contextWindow === undefined ? window : `${window}; else ${shortly(contextWindow)}`
  const model = defaultModel ?? (name === 'shell' ? 'none' : 'its own')
  return `| \`${name}\` | ${[runs, events, limits, tokens, model, resume, kill].join(' | ')} |`
}

function shortly(tokens: number): string {
  return tokens < 1_000_000 ? `${tokens / 1000}k` : `${tokens / 1_000_000}M`
}

function knowledgeOf(name: string): Knowledge {
  const knowledge = KNOWLEDGE[name]
  if (knowledge === undefined) throw new Error(`src/coders/shared/knowledge.ts says nothing of ${name}`)
  return knowledge
}
