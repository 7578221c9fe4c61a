import { sep } from 'node:path'
import type { Defaults } from '../domain/assignment.ts'
import { ownModel } from './check.ts'
import type { Config } from './schema.ts'

/** What a task in this directory gets where it says nothing itself. */
export function defaultsFor(config: Config, cwd: string | undefined): Defaults {
  const { coder, model } = config
  return { project: projectOf(config, cwd) ?? {}, coder, model, modelOf: (name) => ownModel(config, name) }
}

/** The innermost project the directory lies in. */
function projectOf(config: Config, cwd: string | undefined): Defaults['project'] | undefined {
  if (cwd === undefined) return undefined
  const around = Object.keys(config.projects)
    .filter((path) => cwd === path || cwd.startsWith(path.endsWith(sep) ? path : `${path}${sep}`))
    .sort((a, b) => b.length - a.length)
  const { coder, model } = config.projects[around[0] ?? ''] ?? {}
  return { ...(coder === undefined ? {} : { coder }), ...(model === undefined ? {} : { model }) }
}
