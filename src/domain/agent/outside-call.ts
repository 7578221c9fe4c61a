import type { InboxItem } from './inbox.ts'

/**
 * A command of fleet that an agent in a sandbox calls. The home is out of its reach there, so it asks the supervisor with a
 * letter; the supervisor runs the command outside, as the agent of that run, and leaves the answer in the attempt.
 */
export interface OutsideReply {
  readonly v: 1
  readonly code: number
  readonly out: string
  readonly err: string
  /** What the command wanted to tell the supervisor: only the agent can sign it. */
  readonly letters: readonly InboxItem[]
}

/** In a sandbox: the folder with the replies. */
export const IN_SANDBOX = 'FLEET_SANDBOX'
/** For a command that runs outside for an agent: the file for its letters. It reads and writes no other file for it. */
export const FOR_SANDBOX = 'FLEET_FOR_SANDBOX'
/** The part of an attempt with the replies. */
export const REPLIES = 'replies'

/** These open no store, or make a home of their own. */
const INSIDE = new Set(['done', 'ask', 'note', 'hook', 'completion', 'demo'])

export function worksInSandbox(command: string): boolean {
  return INSIDE.has(command)
}

/** They show the queue, and nothing of other tasks' folders. */
const SERVED = new Set(['bd', 'show', 'ready', 'tasks'])
/** They write or read files, which would not be those of the sandbox. */
const WITH_FILES = new Set(['export', 'import', 'codex-hook', 'cursor-hook'])

/** Why such a command is not run outside; undefined: it is. */
export function refusalOutside([name = '', ...words]: readonly string[]): string | undefined {
  if (!SERVED.has(name)) return `fleet ${name} does not work in a sandbox`
  const file = name === 'bd' ? words.find((word) => WITH_FILES.has(word)) : undefined
  return file === undefined ? undefined : `fleet bd ${file} does not work in a sandbox`
}
