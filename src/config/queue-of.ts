import { isPostgresUrl } from '../domain/queue/postgres-url.ts'
import { readText } from '../platform/files/files.ts'

/** A line that could name another queue than the local one; escapes could spell anything. */
const NAMES_ANOTHER = /^[^#\n]*(?:postgres|\\[uU])/m

/**
 * The postgres:// URL that runtime.toml names as the queue; undefined: the queue is kept in the home. Every command asks,
 * so the file is read as TOML only where it could say so; whatever else is wrong in it is for others to tell.
 */
export async function sharedQueueOf(path: string): Promise<string | undefined> {
  const text = readText(path)
  if (text === undefined || !NAMES_ANOTHER.test(text)) return undefined
  const { parseToml } = await import('./load.ts')
  const { queue } = await parseToml(text, path)
  return typeof queue === 'string' && isPostgresUrl(queue) ? queue : undefined
}
