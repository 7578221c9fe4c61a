import { existsSync } from 'node:fs'
import { delimiter } from 'node:path'

/** The folders of Homebrew, on Apple's processors and on Intel's. */
const HOMEBREW = ['/opt/homebrew/bin', '/usr/local/bin']
/** The PATH that launchd gives. */
const SYSTEM = '/usr/bin:/bin:/usr/sbin:/sbin'

export interface SearchPathOptions {
  readonly platform?: NodeJS.Platform
  readonly folders?: readonly string[]
}

/**
 * Appends Homebrew's folders to PATH on macOS, where they exist and are missing: a supervisor that launchd or cron started
 * has a short PATH, without the coders, bd and git of its user. One PATH serves the lookup of programs and the agents.
 */
export function completeSearchPath(env: NodeJS.ProcessEnv, options: SearchPathOptions = {}): void {
  const { platform = process.platform, folders = HOMEBREW } = options
  if (platform !== 'darwin') return
  const given = (env['PATH'] || SYSTEM).split(delimiter)
  const missing = folders.filter((folder) => !given.includes(folder) && existsSync(folder))
  if (missing.length > 0) env['PATH'] = [...given, ...missing].join(delimiter)
}
