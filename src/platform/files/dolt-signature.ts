import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

/**
 * A short text that is another one after every write to the embedded database in this folder, and the same after any
 * number of reads: the manifest's content and the length of what is appended to. Times do not count, because reading
 * touches them. '': there is no embedded database here, so nothing can be told without asking bd.
 */
export function doltSignature(beads: string): string {
  try {
    const databases = join(beads, 'embeddeddolt')
    return readdirSync(databases, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => ofDatabase(join(databases, name, '.dolt', 'noms')))
      .join()
  } catch {
    return ''
  }
}

function ofDatabase(noms: string): string {
  const sizes = readdirSync(noms)
    .filter((name) => name !== 'LOCK' && name !== 'journal.idx')
    .map((name) => `${name}=${statSync(join(noms, name)).size}`)
  return `${readFileSync(join(noms, 'manifest'), 'utf8')} ${sizes.join(' ')}`
}
