import { installProgram } from './install-program.mjs'
import { REAL_CODERS } from './real-coders.mjs'

/**
 * Installs the real coder CLIs from npm, in parallel and once; throws with every reason if one is not available.
 * @param {readonly string[]} names
 * @returns {Promise<Record<string, string>>} for each name a folder to put on PATH
 */
export async function installCoders(names) {
  const installed = await Promise.allSettled(names.map((name) => installProgram({ name, ...REAL_CODERS[name] })))
  const reasons = installed.flatMap((one) => (one.status === 'rejected' ? [one.reason.message] : []))
  if (reasons.length > 0) throw new Error(reasons.join('\n'))
  return Object.fromEntries(names.map((name, n) => [name, installed[n].value]))
}
