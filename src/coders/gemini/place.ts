import { join } from 'node:path'
import type { SidecarPlace, SidecarRun } from '../../ports/coder.ts'

/** Where gemini keeps its login, its settings and its sessions. */
export function geminiFolder(given: SidecarRun['env']): string | undefined {
  const home = given['GEMINI_CLI_HOME'] || given['HOME'] || ''
  return home === '' ? undefined : join(home, '.gemini')
}

/**
 * `tmp/<project>/chats/session-<minute>-<first eight of its id>.jsonl`. How it calls a project is its own business: mostly
 * by the name of the folder, with a number where two have the same. A resumed session goes on in its first file, and leaves
 * one of the same end, with nothing in it, at every resumption.
 */
export function chatPlace({ session, env }: SidecarRun): SidecarPlace | undefined {
  const folder = geminiFolder(env)
  if (folder === undefined) return undefined
  return { folders: [join(folder, 'tmp')], inEach: 'chats', nameEnd: `-${session.slice(0, 8)}.jsonl` }
}
