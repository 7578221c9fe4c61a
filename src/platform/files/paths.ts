import { rmdirSync, rmSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, isAbsolute, join, resolve } from 'node:path'

/** As a shell would read it: `~` is the user's home, the rest is relative to `from`. */
export function absolutePath(text: string, from: string): string {
  if (text === '~' || text.startsWith('~/')) return join(homedir(), text.slice(1))
  return isAbsolute(text) ? resolve(text) : resolve(from, text)
}

/** Where the user stands. A directory that was removed under them keeps its name: most commands do not need it to exist. */
export function workingDirectory(env: NodeJS.ProcessEnv): string {
  try {
    return process.cwd()
  } catch {
    return env['PWD'] ?? '/'
  }
}

/** Why nobody can work in this directory, or undefined. */
export function directoryProblem(path: string): string | undefined {
  try {
    return statSync(path).isDirectory() ? undefined : 'is not a directory'
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code
    if (code === 'ENOENT' || code === 'ENOTDIR') return 'does not exist'
    return `cannot be looked at (${code ?? (error as Error).message})`
  }
}

/** The file, and the folder it stands in if that leaves it empty. */
export function removeFile(path: string): void {
  rmSync(path, { force: true })
  try {
    rmdirSync(dirname(path))
  } catch {
    // Not empty, or never made.
  }
}
