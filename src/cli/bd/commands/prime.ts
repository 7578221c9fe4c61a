import { currentRun } from '../../../domain/agent/current-run.ts'
import { printableJson } from '../../../domain/text/plain.ts'
import { AppError } from '../../../errors.ts'
import type { BdCall, BdCommand } from '../command.ts'
import { agentText, BRIEF, FULL, NO_MEMORIES } from '../parts/prime-text.ts'

const NONE = 'Accepted; fleet keeps knowledge beside each task, not memories'

export const prime: BdCommand = {
  name: 'prime',
  summary: 'Output AI-optimized workflow context',
  usage: '[flags]',
  about: `Print what a coding agent needs to know to work with the queue, for a session hook or a prompt. An agent that fleet
runs need not call it: the same is in its prompt. Without a home it prints nothing and succeeds.`,
  examples: ['fleet bd prime', 'fleet bd prime --hook-json   # for a SessionStart hook'],
  flags: [
    { name: 'full', kind: 'switch', help: 'The whole text (the default)' },
    { name: 'mcp', kind: 'switch', help: 'Only the rules, without the list of commands' },
    { name: 'hook-json', kind: 'switch', help: 'Wrap it in the JSON that SessionStart hooks of coding agents expect' },
    { name: 'export', kind: 'switch', help: 'Accepted; the text is always the default one', hidden: true },
    { name: 'stealth', kind: 'switch', help: 'Accepted; fleet never tells an agent to use git', hidden: true },
    { name: 'memories-only', kind: 'switch', help: NONE, hidden: true },
    { name: 'no-memories', kind: 'switch', help: NONE, hidden: true },
    { name: 'max-memories', kind: 'number', help: NONE, hidden: true },
    { name: 'max-memory-chars', kind: 'number', help: NONE, hidden: true },
  ],
  reads: true,
  async run(call) {
    const text = textFor(call)
    if (call.flags.on('hook-json')) call.print(printableJson(hookAnswer(text)))
    else if (text !== '') call.print(text)
  },
}

function textFor(call: BdCall): string {
  const { flags } = call
  if (!hasHome(call)) return ''
  if (flags.on('memories-only')) return NO_MEMORIES
  const own = currentRun(call.env, call.home)
  if (own !== undefined) return agentText(own.task)
  return flags.on('mcp') && !flags.on('full') ? BRIEF : FULL
}

/** A failing hook would block coder sessions that do not use fleet. */
function hasHome({ home }: BdCall): boolean {
  try {
    home.require()
    return true
  } catch (error) {
    if (error instanceof AppError) return false
    throw error
  }
}

function hookAnswer(additionalContext: string): unknown {
  return { hookSpecificOutput: { hookEventName: 'SessionStart', additionalContext } }
}
