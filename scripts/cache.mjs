import { homedir } from 'node:os'
import { join } from 'node:path'

/**
 * Where what is built or installed for tests is kept: outside the tree, for this machine's kind.
 * @param {string} name with its version
 * @returns {string}
 */
export function cacheFolder(name) {
  const root = process.env.XDG_CACHE_HOME || join(homedir(), '.cache')
  return join(root, 'fleet-dev', `${name}-${process.platform}-${process.arch}`)
}
