import { type HomeStore, openHomeStore } from '../app.ts'
import { isApproved, type Landing, targetOf, waitOf } from '../domain/landing/landing.ts'
import { settingsOf } from '../domain/task/settings.ts'
import type { Home } from '../platform/files/home.ts'
import { supervisorAlive } from '../platform/sqlite/supervisor-lock.ts'
import { policyInForce } from './configuration.ts'

/** A task whose work is on its way to its target branch. */
export interface WaitingLanding {
  readonly landing: Landing
  /** The branch; null: it is not known. */
  readonly target: string | null
  readonly stands: LandingStanding
}

export type LandingStanding =
  /** `land = manual`: a person says when. */
  | { readonly kind: 'held' }
  /** It is tried again by itself; a person may have to do something first. `until`: null: then it is not tried again. */
  | { readonly kind: 'waits'; readonly why: string; readonly until: number | null }
  /** Its merged tree is being checked. */
  | { readonly kind: 'checking' }
  | { readonly kind: 'next' }

/** Oldest first. */
export async function waitingLandings(home: Home): Promise<readonly WaitingLanding[]> {
  await using store = await openHomeStore(home, { readOnly: true })
  return await landingsIn(home, store)
}

/** In a store that is open already. */
export async function landingsIn(
  home: Home,
  { ledger, queue }: Pick<HomeStore, 'ledger' | 'queue'>,
): Promise<readonly WaitingLanding[]> {
  const open = ledger.landings.open().filter(({ state }) => state.at !== 'settling' && state.at !== 'accepting')
  if (open.length === 0) return []
  const { policy } = await policyInForce(home, supervisorAlive(home))
  const own = new Map<string, string | undefined>()
  for await (const { id, metadata } of queue.find({ ids: open.map(({ task }) => task) })) {
    own.set(id, settingsOf(metadata).target)
  }
  return open.map((landing) => {
    const settings = policy?.landing(landing.project)
    const { state } = landing
    const next = targetOf(landing, { own: own.get(landing.task), project: settings?.target })
    const target = 'target' in state ? state.target : next
    return { landing, target, stands: standingOf(landing, settings?.land ?? 'auto') }
  })
}

function standingOf(landing: Landing, land: 'auto' | 'manual'): LandingStanding {
  if (!isApproved(landing, land)) return { kind: 'held' }
  const wait = waitOf(landing)
  if (wait !== undefined) return { kind: 'waits', why: wait.why, until: wait.until }
  return landing.state.at === 'checking' ? { kind: 'checking' } : { kind: 'next' }
}

/** The step of a person that it waits for before it lands; undefined: nothing, or nothing yet. */
export function needOf({ landing, target, stands }: WaitingLanding): string | undefined {
  if (stands.kind === 'held') return `its work has passed, and may land on ${target ?? 'its target'} when you say so`
  return stands.kind === 'waits' && (waitOf(landing)?.tries ?? 0) > 0 ? `waits to land: ${stands.why}` : undefined
}
