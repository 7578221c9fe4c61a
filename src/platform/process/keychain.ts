import { userName } from '../runtime/machine.ts'
import { exec } from './exec.ts'
import { findProgram } from './program.ts'

/** `unseen`: the Keychain is locked, does not answer, or this machine has none. */
export type InKeychain = 'there' | 'missing' | 'unseen'

const WITHIN_MS = 3000
/** The attributes of one item; the secret is never asked for. */
const MAX_BYTES = 1 << 16
/** `security` exits with it if there is no such item (errSecItemNotFound). */
const NO_SUCH_ITEM = 44

/** Whether the user's Keychain has this item. Asks for its attributes only, so that no secret is read or printed. */
export async function inKeychain(service: string, env: NodeJS.ProcessEnv): Promise<InKeychain> {
  const program = findProgram('security', env)
  if (program === undefined) return 'unseen'
  // A service can have a second item of another account, without a login in it.
  const account = env['USER'] || userName()
  const argv = ['find-generic-password', '-s', service, ...(account === undefined ? [] : ['-a', account])]
  const ran = await exec(program, { argv, timeoutMs: WITHIN_MS, maxBytes: MAX_BYTES, env })
  if (ran.kind !== 'ended') return 'unseen'
  if (ran.code === 0) return 'there'
  return ran.code === NO_SUCH_ITEM ? 'missing' : 'unseen'
}
