import { homedir } from 'node:os'
import { join } from 'node:path'

/**
 * The folder for a program built or installed for tests: outside the tree, for this platform.
 * @param {string} name with its version
 * @returns {string}
 */
export function cacheFolder(name) {
  const root = process.env.XDG_CACHE_HOME || join(homedir(), '.cache')
  return join(root, 'fleet-dev', `${name}-${process.platform}-${process.arch}`)
}
