import { realpathSync, rmdirSync, rmSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { basename, dirname, isAbsolute, join, resolve } from 'node:path'

/** Resolves a path as a shell would: `~` is the user's home, a relative path starts at `from`. */
export function absolutePath(text: string, from: string): string {
  if (text === '~' || text.startsWith('~/')) return join(homedir(), text.slice(1))
  return isAbsolute(text) ? resolve(text) : resolve(from, text)
}

/** The path without links, as the disk spells it. What does not exist keeps its name below what does. */
export function realPathOf(path: string): string {
  try {
    return realpathSync.native(path)
  } catch {
    const parent = dirname(path)
    return parent === path ? path : join(realPathOf(parent), basename(path))
  }
}

/** The current directory, or its former path if it was deleted: most commands do not need it to exist. */
export function workingDirectory(env: NodeJS.ProcessEnv): string {
  try {
    return process.cwd()
  } catch {
    return env['PWD'] ?? '/'
  }
}

/** Why a task cannot run in this directory; undefined: it can. */
export function directoryProblem(path: string): string | undefined {
  try {
    return statSync(path).isDirectory() ? undefined : 'is not a directory'
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code
    if (code === 'ENOENT' || code === 'ENOTDIR') return 'does not exist'
    return `cannot be read (${code ?? (error as Error).message})`
  }
}

/** Removes the file, and its folder if that is then empty. */
export function removeFile(path: string): void {
  rmSync(path, { force: true })
  try {
    rmdirSync(dirname(path))
  } catch {
    // Not empty, or never created.
  }
}
