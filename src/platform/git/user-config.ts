import { realpathSync } from 'node:fs'
import { dirname, isAbsolute, join } from 'node:path'
import { AppError } from '../../errors.ts'
import { createPrivate, makeFolder } from '../files/attempt-folder.ts'
import { configText, type Setting, settingsIn } from './config-text.ts'
import { gitProgram } from './program.ts'

/**
 * The configuration of git outside of repositories: the user's and the system's, in the order in which git reads them.
 * Agents can write the user's, and it names programs.
 */
export interface UserConfig {
  readonly paths: readonly string[]
  /** undefined: there is no such file. Also of files that these include. */
  textOf(path: string): string | undefined
}

export const NO_USER_CONFIG: UserConfig = { paths: [], textOf: () => undefined }

/** Where git looks for it. A file need not be there. */
export function userConfigPaths(env: NodeJS.ProcessEnv): readonly string[] {
  const { HOME: home = '', XDG_CONFIG_HOME: xdg, GIT_CONFIG_GLOBAL: global } = env
  const own =
    global !== undefined
      ? [global]
      : [join(xdg || join(home, '.config'), 'git/config'), ...(home === '' ? [] : [join(home, '.gitconfig')])]
  return [...systemPaths(env), ...own].filter((path) => isAbsolute(path) && path !== '/dev/null')
}

function systemPaths(env: NodeJS.ProcessEnv): readonly string[] {
  const { GIT_CONFIG_SYSTEM: given, GIT_CONFIG_NOSYSTEM: none = '' } = env
  if (!/^(|0|false|no|off)$/i.test(none)) return []
  if (given !== undefined) return [given]
  const program = gitProgram(env)
  // Homebrew's git has one of its own.
  const beside = program === undefined ? [] : [join(dirname(realpathOf(program)), '../etc/gitconfig')]
  return [...new Set(['/etc/gitconfig', ...beside])]
}

function realpathOf(path: string): string {
  try {
    return realpathSync.native(path)
  } catch {
    return path
  }
}

const INCLUDE = /^include(?:if\..*)?\.path$/s

/** The files that this one includes, whatever the condition. */
export function includedBy(path: string, text: string, env: NodeJS.ProcessEnv): readonly string[] {
  const values = settingsIn(text).flatMap(([key, value]) => (INCLUDE.test(key) ? [value] : []))
  return values.map((value) => resolved(value, path, env)).filter((each) => each !== undefined)
}

function resolved(value: string, from: string, env: NodeJS.ProcessEnv): string | undefined {
  if (value.startsWith('~/')) return env['HOME'] ? join(env['HOME'], value.slice(2)) : undefined
  if (value === '' || value.startsWith('~') || value.startsWith('%(')) return undefined
  return isAbsolute(value) ? value : join(dirname(from), value)
}

/** People and agents change them all the time. They start nothing, and change nothing that fleet does. */
const OF_NO_CONSEQUENCE = /^(user\.(name|email)|safe\.directory|init\.defaultbranch|(advice|color|column|gui)\..*)$/s

/** Whether two contents of such a file mean the same to fleet. */
export function isSameConfig(one: string, other: string): boolean {
  const told = (text: string) => JSON.stringify(settingsIn(text).filter(([key]) => !OF_NO_CONSEQUENCE.test(key)))
  return one === other || told(one) === told(other)
}

/** People have a few. */
const MOST_FILES = 100

/**
 * Writes it into a folder of fleet's own, for git to read there: what an agent writes later does not count. Returns the
 * variables that make git read it, and nothing else of the user's and the system's.
 */
export function writeUserConfig(
  { paths, textOf }: UserConfig,
  { folder, env }: { folder: string; env: NodeJS.ProcessEnv },
): Readonly<Record<string, string>> {
  const written = new Map<string, string>()
  const write = (path: string): string | undefined => {
    const known = written.get(path)
    const text = known === undefined ? textOf(path) : undefined
    if (known !== undefined || text === undefined) return known
    if (written.size === MOST_FILES) {
      throw new AppError(
        'failed',
        `the configuration of git in ${paths.join(', ')} has more than ${MOST_FILES} files`,
        {
          hint: 'include fewer',
        },
      )
    }
    const copy = join(folder, `config-${written.size}`)
    written.set(path, copy)
    const settings = settingsIn(text).flatMap(([key, value]): Setting[] => {
      if (!INCLUDE.test(key)) return [[key, value]]
      const target = resolved(value, path, env)
      const included = target === undefined ? undefined : write(target)
      // Relative to the file, which is elsewhere now.
      const where = key.replace(/^(includeif\.gitdir(?:\/i)?:)\.\//s, (_all, begin) => `${begin}${dirname(path)}/`)
      return included === undefined ? [] : [[where, included]]
    })
    createPrivate(copy, configText(settings))
    return copy
  }
  makeFolder(folder)
  const top = paths.map(write).filter((each) => each !== undefined)
  const main = join(folder, 'config')
  createPrivate(main, configText(top.map((path): Setting => ['include.path', path])))
  return { GIT_CONFIG_GLOBAL: main, GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_SYSTEM: '/dev/null' }
}
