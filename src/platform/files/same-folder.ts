import { lstatSync, realpathSync, statSync } from 'node:fs'
import { basename, dirname, join, relative, sep } from 'node:path'

/**
 * One folder can have many names: through a link (`/tmp` and `/private/tmp` on macOS), and in any case on a volume that
 * ignores case. So folders that exist are compared by device and inode, others by their names.
 */

/** The way from one folder down to another, '' if they are the same; undefined: `inner` is not inside `outer`. */
export function wayDown(outer: string, inner: string): string | undefined {
  const named = relative(outer, inner)
  if (named !== '..' && !named.startsWith(`..${sep}`) && !named.startsWith(sep)) return named
  const there = identityOf(outer)
  const real = there === undefined ? undefined : realPathOf(inner)
  if (there === undefined || real === undefined) return undefined
  for (let above = real; ; above = dirname(above)) {
    if (identityOf(above) === there) return relative(above, real)
    if (above === dirname(above)) return undefined
  }
}

export function isSameFolder(one: string, other: string): boolean {
  return wayDown(one, other) === ''
}

/** Whether two paths lead to one entry, which may be a link. */
export function isSameEntry(one: string, other: string): boolean {
  try {
    const [first, second] = [one, other].map((path) => lstatSync(path, { bigint: true }))
    return first?.dev === second?.dev && first?.ino === second?.ino
  } catch {
    return false
  }
}

function identityOf(path: string): string | undefined {
  try {
    const { dev, ino } = statSync(path, { bigint: true })
    return `${dev} ${ino}`
  } catch {
    return undefined
  }
}

/** Without links, in the spelling of the volume itself, which other programs report too; undefined: it does not exist. */
export function realPathOf(path: string): string | undefined {
  try {
    return realpathSync.native(path)
  } catch {
    return undefined
  }
}

/** An absolute path without links. Of a file that does not exist, as far as its folders do. */
export function withoutLinks(path: string): string {
  const real = realPathOf(path)
  if (real !== undefined || dirname(path) === path) return real ?? path
  return join(withoutLinks(dirname(path)), basename(path))
}
