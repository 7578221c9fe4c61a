import { expect, test } from 'vitest'
import { gemini } from '../../../src/coders/gemini/coder.ts'
import type { Order } from '../../../src/ports/coder.ts'
import { ORDER as USUAL } from '../../support/order.ts'

const ORDER: Order = { ...USUAL, model: 'gemini-2.5-pro', isRoot: true }

const policy = (tools: string) => `[[rule]]\ntoolName = [${tools}]\ndecision = "deny"\npriority = 999\n`
const TOOLS_OFF = '"ask_user","enter_plan_mode","exit_plan_mode","invoke_agent"'

test('a new session gets its prompt on stdin, unattended, without tools that ask or multiply', () => {
  expect(gemini.launch(ORDER)).toEqual({
    args: [
      '--output-format=stream-json',
      '--model=gemini-2.5-pro',
      '--session-id=22222222-2222-4333-8444-555555555555',
      '--skip-trust',
      '--approval-mode=yolo',
      '--admin-policy=/attempt/gemini-policy.toml',
      '--include-directories=/task/artifacts',
      '--include-directories=/task/inbox',
    ],
    stdin: 'prompt',
    env: { GEMINI_CLI_NO_RELAUNCH: 'true' },
    files: { 'gemini-policy.toml': policy(TOOLS_OFF) },
  })
})

test('an old session is resumed, lean and within the project if that is asked, with its own model if none is named', () => {
  const order: Order = { ...ORDER, model: undefined, session: 'abc', permissions: 'workspace', lean: true }
  expect(gemini.launch(order)).toEqual({
    args: [
      '--output-format=stream-json',
      '--resume=abc',
      '--skip-trust',
      '--approval-mode=auto_edit',
      '--allowed-tools=run_shell_command',
      '--admin-policy=/attempt/gemini-policy.toml',
      '--include-directories=/task/artifacts',
      '--include-directories=/task/inbox',
      '--extensions=none',
      '--allowed-mcp-server-names=none',
    ],
    stdin: 'prompt',
    env: { GEMINI_CLI_NO_RELAUNCH: 'true' },
    files: { 'gemini-policy.toml': policy(`${TOOLS_OFF},"activate_skill"`) },
  })
})

test('with the permissions of the settings neither trust nor a mode is passed', () => {
  const args = gemini.launch({ ...ORDER, permissions: 'settings' }).args.join(' ')
  expect(args).not.toMatch(/trust|approval|allowed/)
})

test('a folder whose path it would take for two is left out', () => {
  const args = gemini.launch({ ...ORDER, writes: ['/home/a,b/artifacts'] }).args.join(' ')
  expect(args).not.toMatch(/include-directories/)
})
