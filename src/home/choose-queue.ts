import { withoutPasswords } from '../domain/queue/postgres-url.ts'
import { AppError } from '../errors.ts'
import type { Home } from '../platform/files/home.ts'
import type { HomeQueueName } from '../queues/kind.ts'
import { queueKindOf } from '../queues/registry.ts'
import { findBd } from './bd.ts'

export interface Choice {
  /** `local`, `beads` or a postgres:// URL. */
  readonly queue: string
  readonly why: string
}

/** The queue of a home, according to three sources. */
export interface Wishes {
  /** The person who makes the home. */
  readonly asked: string | undefined
  /** Its runtime.toml, if there is one. */
  readonly configured: string | undefined
  /** Its store, if there is one: the queue that the home has to itself. */
  readonly own: HomeQueueName | undefined
}

/** A home keeps the queue it has: its tasks do not move with a setting, and would seem to be lost. */
export async function chooseQueue(home: Home, wishes: Wishes, env: NodeJS.ProcessEnv): Promise<Choice> {
  const { asked, configured, own } = wishes
  if (asked !== undefined && configured !== undefined && asked !== configured) throw otherConfigured(home, configured)
  const choice = chosen(wishes) ?? (await defaultQueue(env))
  const { queue } = choice
  if (queueKindOf(queue)?.at === 'server' || own === undefined || own === queue) return choice
  // A home without tasks may still become a beads home if the person asks for it.
  if (own === 'local' && asked === 'beads') return choice
  const what = configured === undefined ? `--queue is ${queue}` : `${home.config} says ${queue}`
  throw new AppError('conflict', `${what}, but the queue of ${home.path} is ${own}`, {
    hint: 'nothing was changed; fleet queue migrate --to ... moves its tasks to another queue',
  })
}

function chosen({ asked, configured, own }: Wishes): Choice | undefined {
  if (asked !== undefined) return { queue: asked, why: 'as asked' }
  if (configured !== undefined) return { queue: configured, why: 'as runtime.toml says' }
  return own === undefined ? undefined : { queue: own, why: 'as it was' }
}

/** A new home uses beads if a usable bd is installed. */
async function defaultQueue(env: NodeJS.ProcessEnv): Promise<Choice> {
  const bd = await findBd(env)
  if (bd.kind === 'usable') return { queue: 'beads', why: `bd ${bd.version} is on PATH; --queue local does without it` }
  if (bd.kind === 'refused') return { queue: 'local', why: `bd ${bd.version} is on PATH, but ${bd.why}` }
  return { queue: 'local', why: 'kept in fleet.db, nothing else is needed' }
}

function otherConfigured(home: Home, queue: string): AppError {
  return new AppError('conflict', `${home.config} says that the queue is ${withoutPasswords(queue)}`, {
    hint: 'nothing was changed; fleet queue migrate --to ... moves its tasks to another queue',
  })
}
