import { type CurrentRun, currentRun } from '../domain/agent/current-run.ts'
import type { InboxItem } from '../domain/agent/inbox.ts'
import { LETTER_KEY } from '../domain/agent/letter-key-name.ts'
import { FOR_SANDBOX } from '../domain/agent/outside-call.ts'
import { appendLines } from '../platform/files/attempt-folder.ts'
import type { Home } from '../platform/files/home.ts'
import { post } from '../platform/files/post.ts'

export interface Letter {
  readonly home: Home
  /** Of the command that the agent calls; it names the run. */
  readonly env: NodeJS.ProcessEnv
  readonly item: InboxItem
}

/** Posts what an agent tells the supervisor. Opens no store: the supervisor decides what it means. */
export function postLetter({ home, env, item }: Letter): 'posted' | 'outside-a-run' {
  const own = currentRun(env, home)
  if (own === undefined) return 'outside-a-run'
  postFrom(own, { home, env, item })
  return 'posted'
}

/** Returns the name of the letter. A command that runs outside for an agent has no key: the agent posts it. */
export function postFrom(own: CurrentRun, { home, env, item }: Letter): string {
  const instead = env[FOR_SANDBOX]
  if (instead !== undefined) {
    appendLines(instead, [JSON.stringify(item)])
    return ''
  }
  const letter = { v: 1, run: own.run, at: Date.now(), item } as const
  return post(home.requireFolder().task(own.task), letter, { secret: env[LETTER_KEY] })
}
