import { expect, test } from 'vitest'
import { claude } from '../../../src/coders/claude/coder.ts'
import type { Order } from '../../../src/ports/coder.ts'
import { ORDER as USUAL } from '../../support/order.ts'

const ORDER: Order = { ...USUAL, model: 'opus' }
const QUIET = {
  CLAUDE_CODE_MAX_RETRIES: '3',
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  DISABLE_AUTOUPDATER: '1',
  DISABLE_TELEMETRY: '1',
}
const TOOLS_OFF = '--disallowedTools=AskUserQuestion,EnterPlanMode,ExitPlanMode,Agent,Task,Workflow'

test('a new session is started with its prompt on stdin, unattended, without tools that ask or multiply', () => {
  expect(claude.launch({ ...ORDER, isRoot: true })).toEqual({
    args: [
      '-p',
      '--output-format=stream-json',
      '--verbose',
      '--model=opus',
      '--session-id=22222222-2222-4333-8444-555555555555',
      '--dangerously-skip-permissions',
      TOOLS_OFF,
    ],
    stdin: 'prompt',
    env: { ...QUIET, IS_SANDBOX: '1' },
  })
})

test('an old session is resumed, lean and within the project if that is asked', () => {
  const order: Order = {
    ...ORDER,
    model: undefined,
    session: 'abc',
    permissions: 'workspace',
    lean: true,
    isRoot: true,
  }
  expect(claude.launch(order)).toEqual({
    args: [
      '-p',
      '--output-format=stream-json',
      '--verbose',
      '--model=sonnet',
      '--resume=abc',
      '--permission-mode=acceptEdits',
      '--allowedTools=Bash',
      TOOLS_OFF,
      '--setting-sources=project',
      '--strict-mcp-config',
      '--disable-slash-commands',
    ],
    stdin: 'prompt',
    env: QUIET,
  })
})

test('with the permissions of the settings none are passed', () => {
  const args = claude.launch({ ...ORDER, permissions: 'settings' }).args.join(' ')
  expect(args).not.toMatch(/permission|--allowedTools/)
})

test('a reviewer reads and nothing else, without the settings of the tree that it looks at', () => {
  expect(claude.launchReviewer?.({ model: undefined, servers: [] })).toEqual({
    args: [
      '-p',
      '--output-format=stream-json',
      '--verbose',
      '--model=sonnet',
      '--permission-mode=dontAsk',
      '--allowedTools=Read,Grep,Glob',
      `${TOOLS_OFF},Bash,Edit,MultiEdit,NotebookEdit,Write,WebFetch,WebSearch,KillShell`,
      '--setting-sources=user',
      '--strict-mcp-config',
    ],
    env: QUIET,
  })
})

test('hooks come as settings of this run, beside those of the user', () => {
  const { args } = claude.launch({ ...ORDER, lean: true, hooks: { PreToolUse: 'before', Stop: 'at the end' } })
  const settings = args.find((arg) => arg.startsWith('--settings='))
  expect(JSON.parse(settings?.slice('--settings='.length) ?? '')).toEqual({
    hooks: {
      PreToolUse: [{ matcher: '*', hooks: [{ type: 'command', command: 'before', timeout: 30 }] }],
      Stop: [{ matcher: '*', hooks: [{ type: 'command', command: 'at the end', timeout: 30 }] }],
    },
  })
})
