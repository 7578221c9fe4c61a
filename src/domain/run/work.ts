import type { CoderEvent, ToolKind } from './event.ts'

/** The work of a run by its own stream, for its receipt. Its memory is bounded for any stream. */
export interface Work {
  /** By name; beyond NAMES, `OTHERS`. */
  readonly tools: Map<string, Tally>
  commands: number
  readonly firstCommands: Command[]
  readonly lastCommands: Command[]
  /** Calls of the kind `agent`, by id: the first ones. */
  readonly subagents: Map<string, SubagentCall>
  /** Calls without an answer yet. */
  readonly open: Map<string, OpenCall>
}

export interface Tally {
  calls: number
  failed: number
}

export interface Command {
  readonly call: string
  failed: boolean
}

export interface SubagentCall {
  readonly tool: string
  /** The task that it was started for. */
  readonly what: string | undefined
  failed: boolean
  /** Its own tool calls that the stream shows. */
  seen: number
  /** The same by the coder's count; undefined: it told none. */
  told: number | undefined
}

interface OpenCall {
  readonly kind: ToolKind
  readonly tally: Tally
  readonly command: Command | undefined
}

type Started = Extract<CoderEvent, { type: 'tool-started' }>

const NAMES = 40
export const OTHERS = '(others)'
/** Kept from the beginning, and as many from the end. */
const COMMANDS = 10
const SUBAGENTS = 30
const OPEN = 1000

export function noWork(): Work {
  return {
    tools: new Map(),
    commands: 0,
    firstCommands: [],
    lastCommands: [],
    subagents: new Map(),
    open: new Map(),
  }
}

/** Some coders report a call several times. What an agent tells fleet is no work. */
export function callStarted(work: Work, event: Started): void {
  const { open, subagents } = work
  const { id, name, kind, detail, parent } = event
  if (open.has(id) || event.toFleet === true) return
  const tally = tallyOf(work, name)
  tally.calls++
  if (open.size >= OPEN) open.delete(open.keys().next().value ?? '')
  open.set(id, { kind, tally, command: kind === 'shell' ? keepCommand(work, detail ?? name) : undefined })
  if (kind === 'agent' && subagents.size < SUBAGENTS && !subagents.has(id)) {
    subagents.set(id, { tool: name, what: detail, failed: false, seen: 0, told: undefined })
  }
  const by = parent === undefined ? undefined : subagents.get(parent)
  if (by !== undefined) by.seen++
}

export function callEnded(
  { open, subagents }: Work,
  { id, failed }: Extract<CoderEvent, { type: 'tool-ended' }>,
): void {
  const call = open.get(id)
  if (call === undefined) return
  open.delete(id)
  if (!failed) return
  call.tally.failed++
  if (call.command !== undefined) call.command.failed = true
  const subagent = subagents.get(id)
  if (subagent !== undefined) subagent.failed = true
}

export function subagentCounted(
  { subagents }: Work,
  { call, toolCalls }: Extract<CoderEvent, { type: 'subagent' }>,
): void {
  const subagent = subagents.get(call)
  if (subagent !== undefined) subagent.told = Math.max(subagent.told ?? 0, toolCalls)
}

function tallyOf({ tools }: Work, name: string): Tally {
  const known = tools.has(name) || tools.size < NAMES ? name : OTHERS
  const tally = tools.get(known) ?? { calls: 0, failed: 0 }
  tools.set(known, tally)
  return tally
}

function keepCommand(work: Work, call: string): Command {
  const command = { call, failed: false }
  work.commands++
  const { firstCommands, lastCommands } = work
  if (firstCommands.length < COMMANDS) firstCommands.push(command)
  else {
    lastCommands.push(command)
    if (lastCommands.length > COMMANDS) lastCommands.shift()
  }
  return command
}
