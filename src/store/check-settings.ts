import { coderNames } from '../coders/registry.ts'
import { nearest } from '../domain/nearest.ts'
import type { TaskSettings } from '../domain/settings.ts'
import { AppError } from '../errors.ts'
import { absolutePath, directoryProblem } from '../platform/paths.ts'

/**
 * Settings as a person gave them, made fit to keep: an absolute directory that exists, a coder that is known. Empty
 * ones pass, because they take a setting away. `where` begins the message: a flag's command or the file they stand in.
 */
export function checkSettings(given: TaskSettings, from: string, where = ''): TaskSettings {
  const settings = { ...given }
  if (given.cwd !== undefined && given.cwd !== '') {
    settings.cwd = absolutePath(given.cwd, from)
    const problem = directoryProblem(settings.cwd)
    if (problem !== undefined) {
      throw new AppError('failed', `${where}cwd ${settings.cwd} ${problem}`, {
        hint: 'a task runs in its cwd; give a directory that exists',
      })
    }
  }
  const { coder } = given
  if (coder !== undefined && coder !== '' && !coderNames().includes(coder)) {
    const near = nearest(coder, coderNames(), 1)
    const known = `known coders: ${coderNames().join(', ')}`
    throw new AppError('failed', `${where}unknown coder ${JSON.stringify(coder)}; ${known}`, {
      ...(near[0] === undefined ? {} : { hint: `did you mean ${near[0]}?` }),
    })
  }
  return settings
}
