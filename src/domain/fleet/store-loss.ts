/**
 * Which file or folder of a home is no longer the one that a supervisor opened. A path alone is no identity: another file
 * may stand there. Device and inode are, as long as somebody holds the file open.
 */

/** In the order in which a loss is told: a home that has gone explains everything below it. */
export const WATCHED = ['home', 'store', 'store-log', 'store-index', 'lock', 'queue-lock'] as const

export type Watched = (typeof WATCHED)[number]

/** null: nothing is there. undefined: it cannot be asked now, which is no loss. */
export type Identity = { readonly dev: number; readonly ino: number } | null | undefined

export type Identities = Readonly<Record<Watched, Identity>>

export interface StoreLoss {
  readonly what: Watched
  readonly how: 'gone' | 'replaced' | 'truncated'
  readonly path: string
  /** The good copy of the store that was made of what the supervisor still had open; undefined: none could be made. */
  readonly rescued?: string
}

/** The reaction of a supervisor to a loss. */
interface LossRule {
  /**
   * `stop`: the ledger is lost, so the next supervisor could not know of these agents, and would start their tasks a second
   * time beside them. `keep`: the ledger has them, and the next supervisor adopts them.
   */
  readonly agents: 'stop' | 'keep'
  readonly name: string
}

export const LOSS_RULES: Readonly<Record<Watched, LossRule>> = {
  home: { agents: 'stop', name: 'the home' },
  store: { agents: 'stop', name: 'the store' },
  // Without it the store is older than the ledger was; without the index, two processes write over each other.
  'store-log': { agents: 'stop', name: 'the log of the store' },
  'store-index': { agents: 'stop', name: 'the index of the log of the store' },
  lock: { agents: 'keep', name: 'the lock of the supervisor' },
  'queue-lock': { agents: 'keep', name: 'the lock of the queue' },
}

/**
 * Whether all files of the store may still be together elsewhere. Writing to them is then safe. If only one of them was
 * replaced, what is written would mix with the other's content.
 */
export function isMoved({ what, how }: Pick<StoreLoss, 'what' | 'how'>): boolean {
  return what === 'home' || (what === 'store' && how === 'gone')
}

/** undefined: each is where it was. A file that was not there at first is not missed. */
export function lossOf(before: Identities, now: Identities): Pick<StoreLoss, 'what' | 'how'> | undefined {
  for (const what of WATCHED) {
    const [was, is] = [before[what], now[what]]
    if (was == null || is === undefined) continue
    if (is === null) return { what, how: 'gone' }
    if (is.dev !== was.dev || is.ino !== was.ino) return { what, how: 'replaced' }
  }
  return undefined
}
