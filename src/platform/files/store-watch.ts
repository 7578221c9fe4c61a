import { statSync } from 'node:fs'
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
    this.#before = this.#look()
    this.#size = sizeOf(home.store) ?? 0
  }

  /** `isWhole` is asked only if the store has become smaller, as it does after a vacuum, and when something cuts it off. */
  lost(isWhole: () => boolean): StoreLoss | undefined {
    const now = this.#look()
    const loss = lossOf(this.#before, now)
    if (loss !== undefined) return { ...loss, path: this.#paths[loss.what] }
    // SQLite makes some of them only with the first write.
    this.#before = { ...this.#before, ...known(now) }
    const before = this.#size
    const size = sizeOf(this.#paths.store) ?? before
    this.#size = size
    if (size >= before || (size > 0 && isWhole())) return undefined
    return { what: 'store', how: 'truncated', path: this.#paths.store }
  }

  #look(): Identities {
    const at = (what: Watched): Identity => identityOf(this.#paths[what])
    return {
      home: at('home'),
      store: at('store'),
      'store-log': at('store-log'),
      'store-index': at('store-index'),
      lock: at('lock'),
      'queue-lock': at('queue-lock'),
    }
  }
}

/** Through links: the home or the store may be one, and lead elsewhere later. */
function identityOf(path: string): Identity {
  try {
    const found = statSync(path, { throwIfNoEntry: false })
    return found === undefined ? null : { dev: found.dev, ino: found.ino }
  } catch (error) {
    // No permission, or a disk that fails: it may be there. A link to itself is another file in its place.
    return (error as NodeJS.ErrnoException).code === 'ELOOP' ? null : undefined
  }
}

function known(identities: Identities): Partial<Identities> {
  return Object.fromEntries(Object.entries(identities).filter(([, identity]) => identity !== undefined))
}

/** undefined: it cannot be asked now. */
function sizeOf(path: string): number | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false })?.size
  } catch {
    return undefined
  }
}
