import { type Stats, statSync } from 'node:fs'
import { type Identities, type Identity, lossOf, type StoreLoss, type Watched } from '../../domain/fleet/store-loss.ts'
import { linkTarget } from './files.ts'
import type { Home } from './home.ts'

/**
 * Compares device and inode of a home's files with those at the beginning. It opens none of them: closing a descriptor of a
 * database would drop the locks that this process holds on it.
 */
export class HomeFiles {
  readonly #paths: Readonly<Record<Watched, string>>
  #before: Identities
  #size: number

  constructor(home: Home) {
    // SQLite puts its other files beside the target of a link.
    const store = linkTarget(home.store)
    this.#paths = {
      home: home.path,
      store: home.store,
      'store-log': `${store}-wal`,
      'store-index': `${store}-shm`,
      lock: home.supervisorLock,
      'queue-lock': home.queueLock,
    }
    const { identities, size } = this.#look()
    this.#before = identities
    this.#size = size ?? 0
  }

  /** `isWhole` is asked only if the store has become smaller, as it does after a vacuum, and when something cuts it off. */
  lost(isWhole: () => boolean): StoreLoss | undefined {
    const { identities: now, size = this.#size } = this.#look()
    const loss = lossOf(this.#before, now)
    if (loss !== undefined) return { ...loss, path: this.#paths[loss.what] }
    // SQLite makes some of them only with the first write.
    this.#before = { ...this.#before, ...known(now) }
    const before = this.#size
    this.#size = size
    if (size >= before || (size > 0 && isWhole())) return undefined
    return { what: 'store', how: 'truncated', path: this.#paths.store }
  }

  /** `size`: of the store; undefined: it cannot be asked now. */
  #look(): { readonly identities: Identities; readonly size: number | undefined } {
    const store = look(this.#paths.store)
    const at = (what: Watched): Identity => identityOf(look(this.#paths[what]))
    return {
      identities: {
        home: at('home'),
        store: identityOf(store),
        'store-log': at('store-log'),
        'store-index': at('store-index'),
        lock: at('lock'),
        'queue-lock': at('queue-lock'),
      },
      size: store?.size,
    }
  }
}

/** Through links: the home or the store may be one, and lead elsewhere later. null: nothing is there. */
function look(path: string): Stats | null | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false }) ?? null
  } catch (error) {
    // No permission, or a disk that fails: it may be there. A link to itself is another file in its place.
    return (error as NodeJS.ErrnoException).code === 'ELOOP' ? null : undefined
  }
}

function identityOf(found: Stats | null | undefined): Identity {
  return found && { dev: found.dev, ino: found.ino }
}

function known(identities: Identities): Partial<Identities> {
  return Object.fromEntries(Object.entries(identities).filter(([, identity]) => identity !== undefined))
}
