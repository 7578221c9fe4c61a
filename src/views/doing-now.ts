import type { Run } from '../domain/run/run.ts'
import { isObject } from '../domain/task/settings.ts'
import { readEnd } from '../platform/files/attempt-folder.ts'
import type { Home } from '../platform/files/home.ts'

/** An agent's present work, as its events tell. */
export interface DoingNow {
  /** The tool that is open, with its input: `Bash: npm test`. */
  readonly tool: string | null
  /** Its last text. */
  readonly said: string | null
}

/** Enough for some hundred events. */
const LOOK_BACK = 1 << 18

export function doingNow(home: Home, run: Run): DoingNow {
  const text = readEnd(`${home.task(run.task)}/events.jsonl`, LOOK_BACK) ?? ''
  return { tool: run.figures.openTool, said: lastText(text, run.id) }
}

/** The last text of a run in a piece of events.jsonl, whose first line may be incomplete. */
export function lastText(events: string, run: string): string | null {
  const lines = events.split('\n')
  for (let i = lines.length - 1; i >= 0; i--) {
    const line = lines[i] ?? ''
    if (!line.includes('"kind":"text"')) continue
    const event = parsed(line)
    if (event?.['kind'] !== 'text' || event['run'] !== run || event['subagent'] === true) continue
    const said = event['text']
    if (typeof said === 'string' && said.trim() !== '') return said.trim()
  }
  return null
}

function parsed(line: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(line)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}
