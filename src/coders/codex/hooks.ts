import { hash } from 'node:crypto'
import { HOOK_EVENTS, type HookEvent } from '../../domain/agent/hook.ts'

/**
 * Hooks of the command line are a layer of their own: those of the user and the project are called beside them, if the user
 * trusts them. codex skips hooks that nobody trusts, so the hash of these comes along. The flag that trusts all hooks would
 * also start those of a project that the user has never seen.
 */
export function hookSettings(lines: Readonly<Record<HookEvent, string>>): readonly string[] {
  const hooks = HOOK_EVENTS.map((event) => {
    const handler = `type="command",command=${JSON.stringify(lines[event])},timeout=${HOOK_SECONDS}`
    const matcher = MATCHER[event] === undefined ? '' : `matcher="${MATCHER[event]}",`
    return `--config=hooks.${event}=[{${matcher}hooks=[{${handler}}]}]`
  })
  const trusted = HOOK_EVENTS.map((event) => `"${keyOf(event)}"={trusted_hash="${hashOf(event, lines[event])}"}`)
  return [...hooks, `--config=hooks.state={${trusted.join(',')}}`]
}

/** A machine under load starts Node in seconds. */
const HOOK_SECONDS = 30

/** The end of a turn has nothing to match. */
const MATCHER: Readonly<Record<HookEvent, string | undefined>> = { PreToolUse: '*', Stop: undefined }

/** As codex names them where it keeps what the user trusts. */
const NAMES: Readonly<Record<HookEvent, string>> = { PreToolUse: 'pre_tool_use', Stop: 'stop' }

function keyOf(event: HookEvent): string {
  return `/<session-flags>/config.toml:${NAMES[event]}:0:0`
}

/** codex hashes a hook as JSON with sorted keys. */
function hashOf(event: HookEvent, command: string): string {
  const matcher = MATCHER[event] === undefined ? {} : { matcher: MATCHER[event] }
  const handler = { async: false, command, timeout: HOOK_SECONDS, type: 'command' }
  return `sha256:${hash('sha256', JSON.stringify({ event_name: NAMES[event], hooks: [handler], ...matcher }))}`
}
