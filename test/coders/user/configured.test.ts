import { expect, test } from 'vitest'
import { agy } from '../../../src/coders/agy/coder.ts'
import { claude } from '../../../src/coders/claude/coder.ts'
import { codex } from '../../../src/coders/codex/coder.ts'
import { gemini } from '../../../src/coders/gemini/coder.ts'
import { opencode } from '../../../src/coders/opencode/coder.ts'
import { shell } from '../../../src/coders/shell/coder.ts'
import { type CoderBlock, configuredCoder } from '../../../src/coders/user/configured.ts'
import { emptyDigest } from '../../../src/domain/run/digest.ts'
import type { Coder, Order } from '../../../src/ports/coder.ts'
import { digestOf, linesOf } from '../../support/claude-streams.ts'
import { ORDER as USUAL } from '../../support/order.ts'

const ORDER: Order = { ...USUAL, newSession: 'new-1' }

async function configured(block: CoderBlock, base?: Coder): Promise<Coder> {
  const coder = await configuredCoder(base?.name ?? 'mine', block, base)
  if (coder === undefined) throw new Error('there is none')
  return coder
}

test('a command alone makes a coder: it gets the prompt on stdin, prints text, and claims with fleet done', async () => {
  const coder = await configured({ command: ['my-agent', '--go'] })
  expect(coder).toMatchObject({
    name: 'mine',
    binary: 'my-agent',
    traits: {
      claim: 'explicit',
      evidence: 'work',
      resume: false,
      stream: 'text',
      contextWindow: undefined,
      defaultModel: undefined,
    },
  })
  expect(coder.launch(ORDER)).toEqual({ args: ['--go'], stdin: 'prompt', env: {} })
  expect(coder.parse('{"type":"result"}')).toEqual([{ type: 'text', text: '{"type":"result"}' }])
  expect(coder.verdict({ kind: 'code', code: 3 }, emptyDigest(), 'no luck')).toEqual({
    kind: 'failed',
    outcome: { code: 'error', text: 'exit 3: no luck' },
  })
})

test('every member of a block takes effect', async () => {
  const coder = await configured({
    command: ['qwen', '--model', '{model}', '--session-id', '{session}', '-C', '{cwd}', '{prompt_file}'],
    resume: ['qwen', '--resume={session}', '--model={model}'],
    format: 'claude',
    model: 'coder-plus',
    context_window: 64_000,
    claim: 'exit',
  })
  expect(coder.traits).toEqual({
    claim: 'exit',
    evidence: 'work',
    resume: true,
    stream: 'json',
    contextWindow: 64_000,
    defaultModel: 'coder-plus',
  })
  expect(coder.launch(ORDER)).toEqual({
    args: ['--model', 'coder-plus', '--session-id', 'new-1', '-C', '/project', '/attempt/prompt.md'],
    stdin: 'closed',
    env: {},
  })
  expect(coder.launch({ ...ORDER, session: 'old-1', model: 'other' })).toEqual({
    args: ['--resume=old-1', '--model=other'],
    stdin: 'prompt',
    env: {},
  })
  const lines = linesOf('err-402')
  expect(lines.flatMap((line) => coder.parse(line))).toEqual(lines.flatMap((line) => claude.parse(line)))
  expect(coder.verdict({ kind: 'code', code: 1 }, digestOf(lines), '')).toMatchObject({ outcome: { code: 'billing' } })
})

test('a block for a known coder changes only the members it sets', async () => {
  const window = await configured({ context_window: 500_000 }, claude)
  expect(window.traits).toEqual({ ...claude.traits, contextWindow: 500_000 })
  expect(window.binary).toBe('claude')
  expect(window.launch(ORDER)).toEqual(claude.launch(ORDER))
  expect((await configured({ model: 'opus' }, claude)).launch(ORDER)).toEqual(
    claude.launch({ ...ORDER, model: 'opus' }),
  )
  const resumed = { ...ORDER, session: 'old-1' }
  const resuming = await configured({ resume: ['claude', '--resume', '{session}'] }, claude)
  expect(resuming.launch(ORDER)).toEqual(claude.launch(ORDER))
  expect(resuming.launch(resumed)).toMatchObject({ args: ['--resume', 'old-1'], stdin: 'prompt' })
})

test('a known coder with a block keeps its payers, its sidecar and its windows', async () => {
  expect(await configured({}, claude)).toMatchObject({ payers: claude.payers })
  expect(await configured({}, codex)).toMatchObject({ sidecar: codex.sidecar })
  expect(await configured({}, opencode)).toMatchObject({ windowOf: opencode.windowOf })
  expect(await configured({ context_window: 64_000 }, opencode)).not.toHaveProperty('windowOf')
  expect(await configured({ command: ['wrapped'], format: 'codex' })).toMatchObject({ sidecar: codex.sidecar })
})

test('with another command a known coder keeps its variables and its parser, but resumes only as the block says', async () => {
  const coder = await configured({ command: ['/opt/claude', '-p', '--model={model}'] }, claude)
  expect(coder.binary).toBe('/opt/claude')
  expect(coder.traits).toEqual({ ...claude.traits, resume: false, hooks: undefined })
  expect(coder.launch(ORDER)).toEqual({
    args: ['-p', '--model=sonnet'],
    stdin: 'prompt',
    env: claude.launch(ORDER).env,
  })
  expect(coder.parse).toBe(claude.parse)
})

test('with another command a known coder still gets its prompt in its own form, and its files', async () => {
  const words = ['/opt/agy', '--input-format=stream-json', '--output-format=stream-json']
  const usual = agy.launch(ORDER)
  const { promptAs, ...launch } = (await configured({ command: words }, agy)).launch(ORDER)
  expect(launch).toEqual({ args: words.slice(1), stdin: 'prompt', env: usual.env })
  expect(promptAs?.('Do it')).toBe(usual.promptAs?.('Do it'))
  const named = await configured({ command: [...words, '{prompt_file}'] }, agy)
  expect(named.launch(ORDER)).not.toHaveProperty('promptAs')
  const other = await configured({ command: words, format: 'text' }, agy)
  expect(other.launch(ORDER)).not.toHaveProperty('promptAs')
  const { files } = gemini.launch(ORDER)
  expect((await configured({ command: ['/opt/gemini'] }, gemini)).launch(ORDER)).toMatchObject({ files })
})

test("a user's own shell gets the script", async () => {
  const coder = await configured({ command: ['/bin/dash', '-e', '{prompt_file}'] }, shell)
  const script = { file: '/attempt/prompt.md', text: 'true' }
  expect(coder.launch({ ...ORDER, script })).toEqual({
    args: ['-e', '/attempt/prompt.md'],
    stdin: 'closed',
    env: {},
  })
  expect(coder.traits.evidence).toBe('exit')
})

test('an unknown format makes no coder, and neither do two programs', async () => {
  expect(await configuredCoder('mine', { command: ['x'], format: 'morse' })).toBeUndefined()
  await expect(
    configuredCoder('mine', { command: ['x'], resume: ['y', '{session}'], format: 'claude' }),
  ).rejects.toThrow('coders.mine.resume begins with y, but mine is started by x')
})

test('a block keeps the read-only mode of its coder, and what it tells of sub-agents, unless the program is another', async () => {
  const [own, other] = [await configured({ model: 'big' }, codex), await configured({ command: ['x'] }, codex)]
  expect(own.launchReviewer?.({ model: undefined, servers: [] })).toEqual(
    codex.launchReviewer?.({ model: 'big', servers: [] }),
  )
  expect(own.launchReviewer?.({ model: 'small', servers: [] })).toEqual(
    codex.launchReviewer?.({ model: 'small', servers: [] }),
  )
  expect([own.subagents, own.mcpServers]).toEqual([codex.subagents, codex.mcpServers])
  expect(other).not.toHaveProperty('launchReviewer')
})
