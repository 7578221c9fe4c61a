import type { Refusal } from '../scope/judge-call.ts'
import { bounded } from '../text/bounded.ts'
import type { HookMessage, HookOrder } from './hook-order.ts'
import { MESSAGES_LIMIT } from './inbox.ts'

/**
 * The hooks of a run: commands that the coder calls at these moments, by claude's names, which codex shares. A coder with the
 * trait `hooks` is started with the lines of `HOOK_LINES`. A line calls `fleet hook <event>` only while there is an order
 * for the run (hook-order.ts). `fleet hook` reads the orders and the call, asks `answerHook`, and prints `hookOutput`.
 *
 * A hook that fails lets the call pass: a message waits, and nothing else is lost. In a run with a scope it refuses the call
 * instead (`BOUNDED_HOOK_LINES`), because a call that nobody has judged may be of any kind.
 */
export type HookEvent = 'PreToolUse' | 'Stop'

export const HOOK_EVENTS: readonly HookEvent[] = ['PreToolUse', 'Stop']

/** The folder with the orders for a run, and the public half of the key that signs them. */
export const HOOK_FOLDER = 'FLEET_HOOKS'
export const HOOK_CHECK = 'FLEET_HOOKS_CHECK'
/** The bounds of a run as JSON, for the hook before a tool; absent: it has no scope. */
export const HOOK_BOUNDS = 'FLEET_BOUNDS'
/** The fleet that runs the agent. A shell that starts as a login shell has its own PATH. */
export const FLEET_COMMAND = 'FLEET_COMMAND'

/** A file in the folder of orders with a line for each call of a hook that failed. */
export const FAILED_HOOKS = 'failed'

/** A machine under load starts Node in seconds. */
const BOUNDED_SECONDS = 20

const UNJUDGED = 'fleet could not judge this call, and the task has a scope. Do without it, or stop and ask: fleet ask'

/** Shell lines for the coder to call. Constants: nothing of a task or a path is ever part of one. */
export const HOOK_LINES: Readonly<Record<HookEvent, string>> = {
  PreToolUse: lineFor('PreToolUse'),
  Stop: lineFor('Stop'),
}

/** For a run with a scope: every call is judged before it happens. */
export const BOUNDED_HOOK_LINES: Readonly<Record<HookEvent, string>> = {
  PreToolUse: boundedLine(),
  Stop: lineFor('Stop'),
}

/**
 * The status 2 refuses the call, with the words on stderr. Half an output must not stand for an answer. A coder lets a call pass
 * whose hook takes too long (30 seconds), so the line ends `fleet` before that, and the sleep with it that is no longer needed.
 */
function boundedLine(): string {
  const limit = `(trap "kill -9 \\$!; exit" TERM; sleep ${BOUNDED_SECONDS} & wait $!; kill -9 $fleet) >/dev/null 2>&1 3<&- &`
  const fleet = `"$${FLEET_COMMAND}" hook PreToolUse <&3 3<&- & fleet=$!`
  const within = `${fleet}; ${limit} limit=$!; wait $fleet; status=$?; kill $limit 2>/dev/null; exit $status`
  const judged = `exec 3<&0; out=$(${within}) && { printf %s "$out"; exit 0; }`
  return `exec sh -c '${judged}; echo PreToolUse >>"$${HOOK_FOLDER}/${FAILED_HOOKS}"; echo "${UNJUDGED}" >&2; exit 2'`
}

/**
 * Without an order it costs a shell and one look at a folder. The inner shell is there because the outer one may be any that
 * the user likes. Its status is always 0: 2 would refuse the call.
 */
function lineFor(event: HookEvent): string {
  const orders = `set -- "$${HOOK_FOLDER}"/*.json; [ -e "$1" ] || exit 0`
  return `exec sh -c '${orders}; "$${FLEET_COMMAND}" hook ${event} || echo ${event} >>"$${HOOK_FOLDER}/${FAILED_HOOKS}"; exit 0'`
}

/** One call of a hook, as the coder tells it. */
export interface HookCall {
  readonly event: HookEvent
  readonly tool?: string
  /** The arguments of the tool. */
  readonly input?: unknown
  readonly cwd?: string
}

/** Parses what the coder writes to the hook's stdin. Takes any text: what cannot be read is left out. */
export function hookCall(event: HookEvent, text: string): HookCall {
  let told: unknown
  try {
    told = JSON.parse(text)
  } catch {
    told = undefined
  }
  const { tool_name, tool_input, cwd } = (typeof told === 'object' && told !== null ? told : {}) as Record<
    string,
    unknown
  >
  return {
    event,
    ...(typeof tool_name === 'string' && tool_name !== '' ? { tool: tool_name } : {}),
    ...(tool_input === undefined ? {} : { input: tool_input }),
    ...(typeof cwd === 'string' ? { cwd } : {}),
  }
}

export interface HookAnswer {
  /** Refuses the call, with a reason that the agent can act on. */
  readonly deny?: string
  /** Words for the agent. At the end of a turn they make it go on. */
  readonly say?: string
  /** The messages in those words. */
  readonly delivers: readonly number[]
}

/** A coder cuts the words of a hook, or puts them into a file, where they are longer: claude at 10,000. */
const MOST_CHARACTERS = 9000

/** The messages that one call can deliver, of those that wait, oldest first: at least one. A refused call delivers none. */
export function fitting({ event }: HookCall, orders: readonly HookOrder[], refusal?: Refusal): readonly HookOrder[] {
  if (refusal !== undefined) return []
  const messages = orders.filter(({ kind }) => kind === 'message').slice(0, MESSAGES_LIMIT)
  let length = 0
  const tooMany = messages.findIndex((each, at) => {
    length += messageText(each, event).length + BETWEEN.length
    return at > 0 && length > MOST_CHARACTERS
  })
  return tooMany === -1 ? messages : messages.slice(0, tooMany)
}

/** Decides what a hook answers, and delivers all of these messages unless the call is refused: its agent reads the reason first. */
export function answerHook({ event }: HookCall, messages: readonly HookOrder[], refusal?: Refusal): HookAnswer {
  if (refusal !== undefined) return { deny: refusalText(refusal), delivers: [] }
  if (messages.length === 0) return { delivers: [] }
  const say = messages.map((each) => messageText(each, event)).join(BETWEEN)
  return { say, delivers: messages.map(({ id }) => id) }
}

const BETWEEN = '\n\n'

function refusalText({ what, why }: Refusal): string {
  return `fleet refused this call (${bounded(what, 300)}): ${why}. Work without it; if the task cannot be done so, ask a person: fleet ask "<question>", and stop.`
}

function messageText({ by, text }: HookMessage, event: HookEvent): string {
  const after =
    event === 'Stop' ? 'Follow it before you end your turn.' : 'Follow it from here on; otherwise go on with your task.'
  return `A message for you from ${by}, through fleet, which runs you:\n\n${text}\n\n${after}`
}

/** In claude's format; undefined: there is nothing to say, and the call passes. */
export function hookOutput(event: HookEvent, { deny, say }: HookAnswer): string | undefined {
  if (event === 'Stop') return say === undefined ? undefined : JSON.stringify({ decision: 'block', reason: say })
  if (deny === undefined && say === undefined) return undefined
  const decision = deny === undefined ? {} : { permissionDecision: 'deny', permissionDecisionReason: deny }
  const context = say === undefined ? {} : { additionalContext: say }
  return JSON.stringify({ hookSpecificOutput: { hookEventName: event, ...decision, ...context } })
}
