/** For `crowd`: the model on loopback and the real CLIs, as their tests use them. */
import { claude } from '../../test/real/coders/claude.ts'
import { codex } from '../../test/real/coders/codex.ts'

export { startModel } from '../../test/real/model/server.ts'
export { calls, hold, says } from '../../test/real/model/turns.ts'

export const coders = { claude, codex }
