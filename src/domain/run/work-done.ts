import { pluralize } from '../text/pluralize.ts'
import type { SubagentCall, Work } from './work.ts'

/** The work of a run, as its receipt tells it. */
export interface WorkDone {
  /** Those that were called most come first. */
  readonly tools: readonly { readonly name: string; readonly calls: number; readonly failed: number }[]
  /** All commands by number; of their calls, the first and the last ten. */
  readonly commands: number
  readonly command_calls: readonly { readonly call: string; readonly failed: boolean }[]
  /** All sub-agents that were started by number; of their starts, the first ones. */
  readonly subagents: number
  readonly subagent_calls: readonly SubagentOnReceipt[]
}

export interface SubagentOnReceipt {
  readonly tool: string
  readonly what: string | null
  /** The call that should have started it failed. */
  readonly failed: boolean
  /** null: its coder does not tell them. */
  readonly tool_calls: number | null
}

/** How a coder's stream shows sub-agents. */
export interface SubagentTraits {
  /** Names of the tools that start one. */
  readonly startedBy: readonly string[]
  /** Whether the stream tells of every tool call that a sub-agent makes. */
  readonly calls: 'told' | 'untold'
}

export function workDone(work: Work, traits: SubagentTraits | undefined): WorkDone {
  const { tools, commands, firstCommands, lastCommands, subagents } = work
  const started = (name: string) => traits === undefined || traits.startedBy.includes(name)
  const kept = [...subagents.values()].filter(({ tool }) => started(tool))
  const named = traits?.startedBy.reduce((sum, name) => sum + (tools.get(name)?.calls ?? 0), 0) ?? 0
  return {
    tools: [...tools].map(([name, tally]) => ({ name, ...tally })).sort((a, b) => b.calls - a.calls),
    commands,
    command_calls: [...firstCommands, ...lastCommands].map(({ call, failed }) => ({ call, failed })),
    subagents: Math.max(kept.length, named),
    subagent_calls: kept.map((each) => onReceipt(each, traits)),
  }
}

function onReceipt({ tool, what, failed, seen, told }: SubagentCall, traits?: SubagentTraits): SubagentOnReceipt {
  const isKnown = traits?.calls === 'told' || seen > 0 || told !== undefined
  return { tool, what: what ?? null, failed, tool_calls: isKnown ? Math.max(seen, told ?? 0) : null }
}

/** A sub-agent without a tool call has only written a text. */
export function idleSubagentsWarning({ subagents, subagent_calls }: WorkDone): string | undefined {
  const idle = subagent_calls.filter(({ failed, tool_calls }) => !failed && tool_calls === 0)
  if (idle.length === 0) return undefined
  const named = idle.slice(0, 5).map(({ tool, what }) => what ?? tool)
  const more = idle.length > named.length ? ` and ${idle.length - named.length} more` : ''
  return `${idle.length} of ${pluralize(subagents, 'sub-agent')} made no tool call: ${named.join(', ')}${more}`
}
