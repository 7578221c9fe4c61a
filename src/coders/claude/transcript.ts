import { join } from 'node:path'
import type { CoderEvent } from '../../domain/run/event.ts'
import type { SidecarPlace, SidecarRun } from '../../ports/coder.ts'
import { type Fields, fields, parsed, string } from '../shared/fields.ts'
import { messageUsage } from './message-usage.ts'

/**
 * `projects/<directory>/<session>.jsonl`, the directory with every other character than letters and digits replaced. A
 * resumed session continues in its file.
 */
export function transcriptPlace({ session, cwd, env }: SidecarRun): SidecarPlace | undefined {
  const home = env['HOME'] ?? ''
  const config = env['CLAUDE_CONFIG_DIR'] || (home === '' ? '' : join(home, '.claude'))
  if (config === '') return undefined
  return { folders: [join(config, 'projects', cwd.replaceAll(/[^a-z0-9]/gi, '-'))], nameEnd: `${session}.jsonl` }
}

/** Each sub-agent has a file there. */
export function subagentFolders({ session, ...run }: SidecarRun): readonly string[] {
  return (transcriptPlace({ session, ...run })?.folders ?? []).map((folder) => join(folder, session, 'subagents'))
}

/**
 * Reads the file in which claude keeps a session. It has the output tokens of each message, which stdout tells only in the
 * result: a run that was stopped has none. The last record of a message counts.
 */
export function transcriptReader(run: SidecarRun): (line: string) => readonly CoderEvent[] {
  return (line) => {
    // Most lines are prompts and the output of tools, which are long: they need no parsing.
    if (!line.includes('"output_tokens"')) return []
    const told = parsed(line)
    const usage = told !== undefined && isOfThisRun(run, told) ? usageIn(told) : undefined
    return usage === undefined ? [] : [usage]
  }
}

function isOfThisRun({ startedAt }: SidecarRun, told: Fields): boolean {
  return told['type'] === 'assistant' && Date.parse(string(told['timestamp']) ?? '') >= startedAt
}

function usageIn(told: Fields): CoderEvent | undefined {
  const message = fields(told['message'])
  if (message === undefined || message['model'] === '<synthetic>') return undefined
  const usage = messageUsage(message, told['isSidechain'] === true)
  return usage === undefined ? undefined : { ...usage, aside: true }
}
