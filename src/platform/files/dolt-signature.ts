import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { readText } from './files.ts'

/**
 * A text that changes with every write to the embedded database in this folder, and not with reads: the manifest's content
 * and the sizes of the files. Not their times, because reads change them. '': there is no embedded database, so only bd can
 * say whether something changed.
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
  return `${readText(join(noms, 'manifest')) ?? ''} ${sizes.join(' ')}`
}
