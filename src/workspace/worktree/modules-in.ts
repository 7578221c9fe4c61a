import { join, normalize } from 'node:path'
import { beginningOf } from '../../platform/files/beginning-of.ts'
import { wayDown } from '../../platform/files/same-folder.ts'
import { settingsIn } from '../../platform/git/config-text.ts'

const MOST = 50
/** Submodules in submodules. */
export const DEEPEST = 4
const GITMODULES_BYTES = 1 << 20

export interface Module {
  readonly name: string
  readonly path: string
}

/** The submodules that a checkout names, of which some may not be there. */
export function modulesIn(root: string): readonly Module[] {
  const named = settingsIn(beginningOf(join(root, '.gitmodules'), GITMODULES_BYTES) ?? '')
  const found = named.flatMap(([key, value]) => {
    const name = /^submodule\.(.*)\.path$/s.exec(key)?.[1]
    const path = normalize(value).replace(/\/$/, '')
    const isInside = path !== '.' && wayDown(root, join(root, path)) === path
    return name !== undefined && NAME.test(name) && isInside ? [{ name, path }] : []
  })
  return found.slice(0, MOST)
}

/** It becomes a folder: git refuses others, too. */
const NAME = /^(?!.*(^|\/)\.\.?(\/|$))[^/\p{Cc}][^\p{Cc}]*$/u
