import { HOOK_EVENTS, type HookEvent } from '../../domain/agent/hook.ts'

/** Settings of the command line are merged with those of the user and the project: their hooks are called too. */
export function hookSettings(lines: Readonly<Record<HookEvent, string>>): string {
  const hooks = HOOK_EVENTS.map((event) => [
    event,
    [{ matcher: '*', hooks: [{ type: 'command', command: lines[event], timeout: HOOK_SECONDS }] }],
  ])
  return `--settings=${JSON.stringify({ hooks: Object.fromEntries(hooks) })}`
}

/** A machine under load starts Node in seconds. */
const HOOK_SECONDS = 30
