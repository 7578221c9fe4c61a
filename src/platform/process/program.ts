import { accessSync, constants, lstatSync, statSync } from 'node:fs'
import { delimiter, isAbsolute, join } from 'node:path'

/**
 * The path of a program on PATH; undefined: there is none. An absolute path stands for itself. Relative folders of PATH do
 * not count: they begin at the current directory, where an agent may have put a program.
 */
export function findProgram(name: string, env: NodeJS.ProcessEnv): string | undefined {
  if (isAbsolute(name)) return canRun(name) ? name : undefined
  return onPath(name, env).find(canRun)
}

/** Every program of that name on PATH, in its order. */
export function findPrograms(name: string, env: NodeJS.ProcessEnv): readonly string[] {
  return onPath(name, env).filter(canRun)
}

function onPath(name: string, env: NodeJS.ProcessEnv): readonly string[] {
  const folders = (env['PATH'] ?? '').split(delimiter).filter(isAbsolute)
  return folders.map((folder) => join(folder, name))
}

/** When the file at a path, or the target of a link, was last changed or replaced: ctime, which no user can set. */
export function changedAt(path: string): number | undefined {
  try {
    return Math.max(lstatSync(path).ctimeMs, statSync(path).ctimeMs)
  } catch {
    return undefined
  }
}

function canRun(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}
