import { lstatSync, mkdirSync, rmSync, type Stats } from 'node:fs'
import module from 'node:module'

/**
 * Lets Node keep the compiled form of fleet's files in `code/` of the home, which makes every command start sooner
 * (docs/adr/0015). Node 22.8 and newer can; older ones load the files as they are. No fault of the home or of the cache may
 * stop a command.
 */
export function enableCompileCache(env: NodeJS.ProcessEnv): void {
  const home = env['FLEET_HOME'] || `${env['HOME']}/.fleet`
  // Node obeys these two by itself.
  if (!home.startsWith('/') || env['NODE_COMPILE_CACHE'] || env['NODE_DISABLE_COMPILE_CACHE']) return
  const folder = `${home}/code`
  try {
    // Only in a home that exists and is ours: no home is made for a cache.
    if (!isOurs(lstatSync(`${home}/fleet.db`))) return
    removeIfOld(folder)
    if (enable !== undefined && isPrivateFolder(folder)) withoutOthers(() => enable(folder))
  } catch {
    // The command runs without a cache.
  }
}

/** Node 20 does not have it, and neither have its types. */
const { enableCompileCache: enable } = module as { enableCompileCache?: (folder: string) => unknown }

const OLD_MS = 30 * 24 * 3_600_000

/** Node never deletes what it cached of an earlier build, so the whole cache starts anew every month. */
function removeIfOld(folder: string): void {
  const found = lstatSync(folder, { throwIfNoEntry: false })
  if (found?.isDirectory() && isOurs(found) && Date.now() - found.mtimeMs > OLD_MS) rmSync(folder, { recursive: true })
}

/** Node makes its own folder in the cache by the umask, and doctor warns of a folder that others may enter. */
function withoutOthers(make: () => void): void {
  const before = process.umask(0o077)
  try {
    make()
  } finally {
    process.umask(before)
  }
}

/** The cache is code that the next command runs, so the folder must keep others out. */
function isPrivateFolder(folder: string): boolean {
  try {
    mkdirSync(folder, { mode: 0o700 })
  } catch {
    // It exists, or the next line throws.
  }
  const found = lstatSync(folder)
  return found.isDirectory() && isOurs(found) && (found.mode & 0o077) === 0
}

function isOurs({ uid }: Stats): boolean {
  return uid === process.getuid?.()
}
