import { serverKinds } from '../queues/registry.ts'
import { configTextInForce } from './in-force.ts'

/** A line that could name a queue on a server; escapes could spell anything. */
const NAMES_SERVER = new RegExp(
  `^[^#\\n]*(?:${serverKinds()
    .map((kind) => kind.addressHas)
    .join('|')}|\\\\[uU])`,
  'm',
)

/**
 * The address of the server that runtime.toml names as the queue; undefined: the queue is in the home. Every command asks,
 * so the file is parsed only if it could name one. Other commands report other mistakes in it.
 */
export async function sharedQueueOf(path: string): Promise<string | undefined> {
  const text = configTextInForce(path)
  if (text === undefined || !NAMES_SERVER.test(text)) return undefined
  const { parseToml } = await import('./load.ts')
  const { queue } = await parseToml(text, path)
  return typeof queue === 'string' && serverKinds().some((kind) => kind.fits(queue)) ? queue : undefined
}
