import { currentRun } from '../../../domain/agent/current-run.ts'
import { MAX_MEMORIES, MAX_MEMORY_CHARS } from '../../../domain/queue/bd-configuration.ts'
import { printableJson } from '../../../domain/text/plain.ts'
import { AppError } from '../../../errors.ts'
import type { BdCall, BdCommand } from '../command.ts'
import { agentText, BRIEF, FULL, NO_MEMORIES } from '../parts/prime-text.ts'
import { allMemories } from './memories.ts'
import { memorySection } from './memory-text.ts'

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
    { name: 'memories-only', kind: 'switch', help: 'Only the memories' },
    { name: 'no-memories', kind: 'switch', help: 'Without the memories' },
    { name: 'max-memories', kind: 'number', help: 'Print at most so many memories (0: all)' },
    { name: 'max-memory-chars', kind: 'number', help: 'Print at most so many bytes of memories (0: all)' },
  ],
  reads: true,
  async run(call) {
    const text = await primeText(call)
    if (call.flags.on('hook-json')) call.print(printableJson(hookAnswer(text)))
    else if (text !== '') call.print(text)
  },
}

/** '' without a home. */
export async function primeText(call: BdCall): Promise<string> {
  const { flags } = call
  if (!hasHome(call)) return ''
  const memories = await memoriesFor(call)
  if (flags.on('memories-only')) return memories === '' ? NO_MEMORIES : memories
  const own = currentRun(call.env, call.home)
  const rules = own === undefined ? (flags.on('mcp') && !flags.on('full') ? BRIEF : FULL) : agentText(own.task)
  return memories === '' || flags.on('no-memories') ? rules : `${rules}\n\n${memories}`
}

async function memoriesFor(call: BdCall): Promise<string> {
  const memories = await allMemories(call)
  if (memories.size === 0) return ''
  return memorySection(memories, {
    most: await cap(call, 'max-memories', MAX_MEMORIES),
    bytes: await cap(call, 'max-memory-chars', MAX_MEMORY_CHARS),
  })
}

async function cap({ flags, store }: BdCall, flag: string, key: string): Promise<number> {
  const given = flags.number(flag) ?? Number((await store.values.get(key)) ?? 0)
  return Number.isSafeInteger(given) && given > 0 ? given : 0
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
