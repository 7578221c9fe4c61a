import { currentRun } from '../domain/agent/current-run.ts'
import { IN_SANDBOX, type OutsideReply } from '../domain/agent/outside-call.ts'
import { AppError } from '../errors.ts'
import { readIfFile } from '../platform/files/agent-file.ts'
import type { Home } from '../platform/files/home.ts'
import { wait } from '../platform/runtime/wait.ts'
import { postFrom } from './post-letter.ts'

export interface CallOutside {
  readonly home: Home
  readonly env: NodeJS.ProcessEnv
  readonly argv: readonly string[]
  readonly input: string | undefined
}

/** The supervisor reads letters twice a second; a restart of it takes a few seconds. */
const PATIENCE_MS = 60_000
const LOOK_MS = 50
const REPLY_LIMIT = 16 << 20

/** Asks the supervisor to run a command that cannot reach the home from the sandbox. */
export async function callOutside({ home, env, argv, input }: CallOutside): Promise<OutsideReply> {
  const own = currentRun(env, home)
  const folder = env[IN_SANDBOX]
  if (own === undefined || folder === undefined) throw new AppError('usage', 'this is no sandbox of a run')
  const item = { kind: 'call', argv, ...(input !== undefined && { input }) } as const
  const name = postFrom(own, { home, env, item })
  const until = performance.now() + PATIENCE_MS
  while (performance.now() < until) {
    const text = readIfFile(`${folder}/${name}`, REPLY_LIMIT)
    if (text !== undefined) {
      const reply = JSON.parse(text) as OutsideReply
      // Its words become the agent's own here, where its key is.
      for (const letter of reply.letters) postFrom(own, { home, env, item: letter })
      return reply
    }
    await wait(LOOK_MS)
  }
  throw new AppError('failed', 'no supervisor answered within a minute, so the command may have run or not', {
    hint: 'the home cannot be reached from this sandbox; look before you call it again: fleet bd show <id>',
  })
}
