import { join } from 'node:path'
import { AtomicFile, readText } from '../platform/files/files.ts'
import { type Home, privateDirectory } from '../platform/files/home.ts'
import { findProgram } from '../platform/process/program.ts'

/**
 * `$FLEET_HOME/bin/fleet`, so that an agent calls the fleet that runs it, not another one on its PATH. Returns the folder.
 * Written only if its content changes: fifty agents may be about to start it.
 */
export function ownCommand(home: Home, { node, fleet }: { node: string; fleet: string }): string {
  const folder = join(home.path, 'bin')
  const path = join(folder, 'fleet')
  const script = `#!/bin/sh\nexec ${quoted(node)} ${quoted(fleet)} "$@"\n`
  if (findProgram('fleet', { PATH: folder }) === path && readText(path) === script) return folder
  privateDirectory(folder, { below: home.path })
  // Replaces what is there: a link is not written through.
  using file = new AtomicFile(path, 0o700)
  file.write(script)
  file.commit()
  return folder
}

/** Any text as one word for sh. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
