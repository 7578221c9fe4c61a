import { type Looked, textOfFound } from '../config/in-force.ts'
import { fileStamp } from '../platform/files/files.ts'
import { includedBy, type UserConfig, userConfigPaths } from '../platform/git/user-config.ts'

/**
 * The user's configuration of git. Its files stand outside of the home, but agents can write them, and they name programs that
 * fleet's git runs for the user: so they are guarded as the home's own files are, and an edit made while agents ran is not in
 * force until a person accepts it.
 */
export class UserGitFiles {
  readonly #lookAt: (path: string) => Looked
  readonly #env: NodeJS.ProcessEnv
  /** Of all its files, when each was as accepted. */
  #stamps: ReadonlyMap<string, string | undefined> | undefined

  constructor(env: NodeJS.ProcessEnv, lookAt: (path: string) => Looked) {
    this.#env = env
    this.#lookAt = lookAt
  }

  /** Notes what has changed. `trusting`: a file with the same stamp is the same. */
  look({ trusting }: { trusting: boolean }): void {
    const before = this.#stamps
    if (
      trusting &&
      before !== undefined &&
      [...before].every(([path, stamp]) => stamp !== undefined && stamp === stampOf(path))
    )
      return
    const stamps = new Map<string, string | undefined>()
    let isSame = true
    eachFile(this.#env, (path) => {
      stamps.set(path, stampOf(path))
      const { standing, inForce } = this.#lookAt(path)
      isSame &&= standing === 'same'
      return textOfFound(inForce)
    })
    this.#stamps = isSame ? stamps : undefined
  }

  /** The configuration that is in force. */
  readonly config = (): UserConfig => userConfigInForce(this.#env, this.#lookAt)
}

/** Each file is looked at once: what is compared is what is used. */
export function userConfigInForce(env: NodeJS.ProcessEnv, lookAt: (path: string) => Looked): UserConfig {
  const texts = eachFile(env, (path) => textOfFound(lookAt(path).inForce))
  return { paths: userConfigPaths(env), textOf: (path) => texts.get(path) }
}

/** Includes in the order in which they are found. Files that are not there count, too: one can be put there. */
function eachFile(
  env: NodeJS.ProcessEnv,
  read: (path: string) => string | undefined,
): ReadonlyMap<string, string | undefined> {
  const texts = new Map<string, string | undefined>()
  const left = [...userConfigPaths(env)]
  for (let path = left.shift(); path !== undefined && texts.size < MOST_FILES; path = left.shift()) {
    if (texts.has(path)) continue
    const text = read(path)
    texts.set(path, text)
    if (text !== undefined) left.push(...includedBy(path, text, env))
  }
  return texts
}

/** An agent could make files include each other without end. */
const MOST_FILES = 100

/** A file that cannot be looked at is looked at each time. */
function stampOf(path: string): string | undefined {
  try {
    return fileStamp(path)
  } catch {
    return undefined
  }
}
