import { isObject } from '../../../domain/task/settings.ts'
import { printableJson } from '../../../domain/text/plain.ts'
import { Marker } from '../../../platform/files/marker.ts'
import { type BdCall, type BdCommand, BdFailure } from '../command.ts'
import { exactly } from '../parts/arguments.ts'
import { primeText } from './prime.ts'

/**
 * The hooks that `bd init` writes for codex and cursor: they bring the text of `prime` into a session, and once more after its
 * context was compacted. A session must not fail because of them, so they never do.
 */

type Input = Readonly<Record<string, unknown>>

interface Agent {
  readonly name: 'codex' | 'cursor'
  /** The session and the place that a marker is for. */
  session(input: Input): readonly string[]
  readonly events: Readonly<Record<string, (call: BdCall, marker: Marker) => Promise<unknown>>>
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '')

/** undefined: nothing is printed. */
const codexContext = (event: string, additionalContext: string): unknown =>
  additionalContext === ''
    ? undefined
    : { continue: true, hookSpecificOutput: { hookEventName: event, additionalContext } }

const CODEX: Agent = {
  name: 'codex',
  session: (input) => [text(input['session_id']), text(input['cwd'])],
  events: {
    SessionStart: async (call) => codexContext('SessionStart', await primeText(call)),
    // bd only checks here that it can be read.
    PreCompact: async () => undefined,
    PostCompact: async (_call, marker) => void marker.set(),
    UserPromptSubmit: async (call, marker) => {
      if (!marker.isSet) return undefined
      marker.clear()
      return codexContext('UserPromptSubmit', await primeText(call))
    },
  },
}

const CURSOR: Agent = {
  name: 'cursor',
  session(input) {
    const roots = input['workspace_roots']
    const [root] = Array.isArray(roots) ? roots : []
    return [text(input['conversation_id']) || text(input['session_id']), text(root) || text(input['cwd'])]
  },
  events: {
    sessionStart: async (call, marker) => {
      marker.clear()
      const context = await primeText(call)
      return { continue: true, ...(context === '' ? {} : { additional_context: context }) }
    },
    preCompact: async (_call, marker) => {
      marker.set()
      return {
        user_message:
          'fleet: the context is being compacted; the text of fleet bd prime comes back with the next tool call.',
      }
    },
    postToolUse: async (call, marker) => {
      if (!marker.isSet) return {}
      const context = await primeText(call)
      if (context === '') return {}
      marker.clear()
      return {
        continue: true,
        additional_context: `[fleet] The context was compacted. What you have to know:\n\n${context}`,
      }
    },
  },
}

function hook(agent: Agent): BdCommand {
  return {
    name: `${agent.name}-hook`,
    summary: `Run a lifecycle hook of ${agent.name}, as bd init writes it`,
    usage: '<event>',
    about: `Called by ${agent.name} itself, with its event on standard input: ${Object.keys(agent.events).join(', ')}.`,
    flags: [],
    hidden: true,
    reads: true,
    async run(call) {
      const [named] = exactly(call, 1) as [string]
      const input = inputOf(call)
      const event = text(input['hook_event_name']) || named
      const react = Object.hasOwn(agent.events, event) ? agent.events[event] : undefined
      if (react === undefined) {
        const name = `${agent.name[0]?.toUpperCase()}${agent.name.slice(1)}`
        throw new BdFailure(`unsupported ${name} hook event ${JSON.stringify(event)}`, { json: 'text' })
      }
      const answer = await react(call, new Marker(`${agent.name}-hooks`, agent.session(input), call.env))
      if (answer !== undefined) call.print(printableJson(answer))
    },
  }
}

function inputOf(call: BdCall): Input {
  const given = call.readInput('-').trim()
  if (given === '') return {}
  try {
    const value: unknown = JSON.parse(given)
    if (isObject(value)) return value
  } catch {
    // Said below.
  }
  throw new BdFailure('standard input is not the JSON object of a hook', { json: 'text' })
}

export const codexHook: BdCommand = hook(CODEX)
export const cursorHook: BdCommand = hook(CURSOR)
