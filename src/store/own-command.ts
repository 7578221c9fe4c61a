import { dirname, join } from 'node:path'
import { agentFileStamp } from '../platform/files/agent-file.ts'
import { AtomicFile } from '../platform/files/files.ts'
import { isTaken, move, namesIn, removeAll } from '../platform/files/folder.ts'
import { type Home, privateDirectory } from '../platform/files/home.ts'
import { readKeptFile } from '../platform/files/kept-file.ts'
import { isOwnFolder, isRunnableFile, type Ownership } from '../platform/files/permissions.ts'
import { chanceHex } from '../platform/runtime/chance.ts'

export interface OwnCommandOptions {
  /** Fleet's own program, and the Node that runs it. */
  readonly program: { readonly node: string; readonly fleet: string }
  /** The script that fleet wrote last; undefined: it never wrote one here. An update changes it. */
  lastWritten(): string | null | undefined
  /** Called with the new script before it is in place. */
  wrote(script: string): void
  /** Called if something else than fleet changed the folder; fleet has put it right. */
  repaired(): void
}

/**
 * `$FLEET_HOME/bin/fleet`, so that an agent calls the fleet that runs it, not another one on its PATH. Agents can write there
 * too, and the folder is first on the PATH of all others: so it is checked before each start, and whatever is not fleet's is
 * moved out of the way. Returns a function that answers with the folder.
 */
export function ownCommand(home: Home, { program, lastWritten, wrote, repaired }: OwnCommandOptions): () => string {
  const script = `#!/bin/sh\nexec ${quoted(program.node)} ${quoted(program.fleet)} "$@"\n`
  let folder = join(home.path, 'bin')
  let access: Ownership = 'shown'
  /** Of the folder and the file when they were last seen to be intact. */
  let intact: string | undefined
  return () => {
    const stamp = stampOf(folder)
    if (stamp !== undefined && stamp === intact) return folder
    intact = undefined
    if (isIntact(folder, { script, access })) {
      intact = stamp
      return folder
    }
    const last = lastWritten() ?? undefined
    // An older fleet wrote another script, and left no record of it.
    const isUpdate =
      !isTaken(folder) ||
      (last === undefined ? isFolderOfFleet(folder, access) : isIntact(folder, { script: last, access }))
    wrote(script)
    if (!isUpdate) folder = cleared(folder)
    write(folder, script)
    const before = access
    access = isIntact(folder, { script, access: 'shown' }) ? 'shown' : 'hidden'
    // The first look at such a home cannot tell a change from its file system.
    if (!isUpdate && (access === 'shown' || before === 'hidden')) repaired()
    return folder
  }
}

/** Well above the resolution of any file system's clock. */
const COARSE_MS = 1000

/**
 * Of both, by what no program can set: a file added, renamed, written or given other permissions has another time of its
 * inode. undefined: so young that a change right after it could leave the same, or not there.
 */
function stampOf(folder: string): string | undefined {
  const stamps = [folder, join(folder, 'fleet')].map(agentFileStamp)
  const isOld = stamps.every((stamp) => stamp !== undefined && Date.now() - stamp.changedAt > COARSE_MS)
  return isOld ? stamps.map((stamp) => stamp?.text).join(' ') : undefined
}

interface Intact {
  readonly script: string
  readonly access: Ownership
}

/** Exactly one program, and it is fleet's: any other would come before the user's own of that name. */
function isIntact(folder: string, { script, access }: Intact): boolean {
  if (!isFolderOfFleet(folder, access)) return false
  const path = join(folder, 'fleet')
  const found = readKeptFile(path)
  return 'text' in found && found.text === script && isRunnableFile(path, access)
}

function isFolderOfFleet(folder: string, access: Ownership): boolean {
  try {
    return isOwnFolder(folder, access) && namesIn(folder).every((name) => name === 'fleet')
  } catch {
    // An agent made it unreadable.
    return false
  }
}

/** The folder, emptied: everything that was there is kept beside it. One that cannot be moved is left, and another used. */
function cleared(folder: string): string {
  const aside = `${folder}.refused`
  try {
    removeAll(aside)
    move(folder, aside)
    return folder
  } catch {
    return `${folder}-${chanceHex(8)}`
  }
}

function write(folder: string, script: string): void {
  // A home that is gone is not made again.
  privateDirectory(folder, { below: dirname(folder) })
  const path = join(folder, 'fleet')
  if (isTaken(path) && !isRunnableFile(path, 'shown')) removeAll(path)
  using file = new AtomicFile(path, 0o700)
  file.write(script)
  file.commit()
}

/** Any text as one word for sh. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
