import { expect, test } from 'vitest'
import { codex } from '../../../src/coders/codex/coder.ts'
import { rolloutPlace } from '../../../src/coders/codex/session-files.ts'
import type { Order } from '../../../src/ports/coder.ts'
import { ORDER as USUAL } from '../../support/order.ts'

const ORDER: Order = { ...USUAL, model: 'gpt-5.5' }
const ALWAYS = [
  '--config=allow_login_shell=false',
  '--config=features.multi_agent=false',
  '--config=features.multi_agent_v2.max_concurrent_threads_per_session=1',
  '--config=features.unbounded_connection_retries=false',
  '--config=analytics.enabled=false',
]

test('a new thread starts with its prompt on stdin, unattended, without sub-agents', () => {
  expect(codex.launch(ORDER)).toEqual({
    args: [
      'exec',
      '--json',
      '--skip-git-repo-check',
      '--model=gpt-5.5',
      '--dangerously-bypass-approvals-and-sandbox',
      ...ALWAYS,
      '-',
    ],
    stdin: 'prompt',
    env: {},
  })
})

test('an old thread is resumed, lean and in its sandbox if asked, with write access to its artifacts and inbox', () => {
  const order: Order = {
    ...ORDER,
    model: undefined,
    session: '01a1e074-125c-7150-bbd0-21519693a11a',
    permissions: 'workspace',
    lean: true,
    isRoot: true,
  }
  expect(codex.launch(order)).toEqual({
    args: [
      'exec',
      '--json',
      '--skip-git-repo-check',
      '--sandbox=workspace-write',
      '--config=approval_policy=never',
      '--add-dir=/task/artifacts',
      '--add-dir=/task/inbox',
      ...ALWAYS,
      '--ignore-user-config',
      '--config=skills.include_instructions=false',
      '--config=features.plugins=false',
      '--config=features.apps=false',
      'resume',
      '01a1e074-125c-7150-bbd0-21519693a11a',
      '-',
    ],
    stdin: 'prompt',
    env: {},
  })
})

test('with the permissions of the settings none are passed', () => {
  const args = codex.launch({ ...ORDER, permissions: 'settings' }).args.join(' ')
  expect(args).not.toMatch(/sandbox|approval|add-dir/)
})

const run = (session: string, startedAt: string, env: Record<string, string>) => ({
  session,
  startedAt: Date.parse(startedAt),
  cwd: '/project',
  env,
})

test('a rollout is looked for on the day its thread began, however long ago, and around it for clocks elsewhere', () => {
  const id = '01a1e074-125c-7150-bbd0-21519693a11a' // began 2026-11-15T18:24:25Z
  expect(rolloutPlace(run(id, '2026-12-24T12:00:00Z', { CODEX_HOME: '/codex', HOME: '/home/dev' }))).toEqual({
    folders: ['/codex/sessions/2026/11/15', '/codex/sessions/2026/11/16', '/codex/sessions/2026/11/14'],
    nameEnd: '-01a1e074-125c-7150-bbd0-21519693a11a.jsonl',
  })
})

test('a thread whose id holds no time is looked for on the day of the run', () => {
  expect(
    rolloutPlace(run('11111111-2222-4333-8444-555555555555', '2026-12-31T23:59:59Z', { HOME: '/home/dev' })),
  ).toEqual({
    folders: [
      '/home/dev/.codex/sessions/2026/12/31',
      '/home/dev/.codex/sessions/2027/01/01',
      '/home/dev/.codex/sessions/2026/12/30',
    ],
    nameEnd: '-11111111-2222-4333-8444-555555555555.jsonl',
  })
})

test('without a home there is no rollout to look for', () => {
  expect(rolloutPlace(run('01a1e074-125c-7150-bbd0-21519693a11a', '2026-12-24T12:00:00Z', {}))).toBeUndefined()
})

test('a reviewer has a sandbox that writes nothing, and no instructions of the tree that it looks at', () => {
  const { args = [], env } = codex.launchReviewer?.({ model: 'gpt-5', servers: ['files', 'web_2'] }) ?? {}
  expect(env).toEqual({})
  expect(args.slice(0, 7)).toEqual([
    'exec',
    '--json',
    '--skip-git-repo-check',
    '--model=gpt-5',
    '--sandbox=read-only',
    '--config=approval_policy=never',
    '--config=project_doc_max_bytes=0',
  ])
  expect(args.at(-1)).toBe('-')
  expect(args.filter((each) => /bypass|workspace-write|add-dir/.test(each))).toEqual([])
  expect(args.filter((each) => /mcp_servers|apps|plugins/.test(each))).toEqual([
    '--config=features.apps=false',
    '--config=features.plugins=false',
    '--config=mcp_servers.files.enabled=false',
    '--config=mcp_servers.web_2.enabled=false',
  ])
  expect(() => codex.launchReviewer?.({ model: undefined, servers: ['a.b'] })).toThrow(
    'its MCP server "a.b" cannot be switched off',
  )
  expect(codex.mcpServers?.named('[{"name":"files","enabled":true},{"name":"web_2"}]')).toEqual(['files', 'web_2'])
  expect(['', '{}', '[{}]', '[1]'].map((output) => codex.mcpServers?.named(output))).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
  ])
})

test('hooks come as settings of this run, each with the hash by which codex trusts it and no other', () => {
  const { args } = codex.launch({ ...ORDER, hooks: { PreToolUse: 'before "it"', Stop: 'at the end' } })
  expect(args.filter((arg) => arg.startsWith('--config=hooks.'))).toEqual([
    '--config=hooks.PreToolUse=[{matcher="*",hooks=[{type="command",command="before \\"it\\"",timeout=30}]}]',
    '--config=hooks.Stop=[{hooks=[{type="command",command="at the end",timeout=30}]}]',
    expect.stringMatching(
      /^--config=hooks\.state=\{"\/<session-flags>\/config\.toml:pre_tool_use:0:0"=\{trusted_hash="sha256:[0-9a-f]{64}"\},"\/<session-flags>\/config\.toml:stop:0:0"=\{trusted_hash="sha256:[0-9a-f]{64}"\}\}$/,
    ),
  ])
  expect(args.at(-1)).toBe('-')
})
