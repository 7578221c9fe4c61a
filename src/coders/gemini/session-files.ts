import { join } from 'node:path'
import type { SidecarPlace, SidecarRun } from '../../ports/coder.ts'

/** Where gemini keeps its login, its settings and its sessions. */
export function geminiFolder(given: SidecarRun['env']): string | undefined {
  const home = given['GEMINI_CLI_HOME'] || given['HOME'] || ''
  return home === '' ? undefined : join(home, '.gemini')
}

/**
 * `tmp/<project>/chats/session-<minute>-<first eight of its id>.jsonl`. Gemini chooses the name of a project: mostly the
 * name of the folder, with a number if two share it. A resumed session continues in its first file, and every resumption
 * leaves an empty file whose name has the same end.
 */
export function chatPlace({ session, env }: SidecarRun): SidecarPlace | undefined {
  const folder = geminiFolder(env)
  if (folder === undefined) return undefined
  return { folders: [join(folder, 'tmp')], inEach: 'chats', nameEnd: `-${session.slice(0, 8)}.jsonl` }
}
