import { hash } from 'node:crypto'
import { rmSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { isAbsolute, join } from 'node:path'
import { privateFile } from './files.ts'
import { entryAt } from './folder.ts'
import { privateDirectory } from './home.ts'

/** A note to a later process of the same session, in the user's cache: there or not there. Losing one costs nothing. */
export class Marker {
  readonly #folder: string
  readonly #path: string

  constructor(kind: string, key: readonly string[], env: NodeJS.ProcessEnv) {
    this.#folder = join(cacheOf(env), 'fleet', kind)
    this.#path = join(this.#folder, hash('sha256', key.join('\0')))
  }

  get isSet(): boolean {
    return entryAt(this.#path) !== undefined
  }

  set(): void {
    privateDirectory(this.#folder)
    privateFile(this.#path)
  }

  clear(): void {
    rmSync(this.#path, { force: true })
  }
}

function cacheOf(env: NodeJS.ProcessEnv): string {
  const given = env['XDG_CACHE_HOME'] ?? ''
  if (isAbsolute(given)) return given
  const home = env['HOME'] ?? homedir()
  return isAbsolute(home) ? join(home, '.cache') : tmpdir()
}
