import { sep } from 'node:path'
import type { Defaults } from '../domain/fleet/assignment.ts'
import { realPathOf } from '../platform/files/paths.ts'
import { ownModel } from './check.ts'
import type { Config } from './schema.ts'

/** The settings of a task in this directory that names none itself. */
export function defaultsFor(config: Config, cwd: string | undefined): Defaults {
  const { coder, model } = config
  return { project: projectOf(config, cwd) ?? {}, coder, model, modelOf: (name) => ownModel(config, name) }
}

function projectOf(config: Config, cwd: string | undefined): Defaults['project'] | undefined {
  const { coder, model } = projectAround(config, cwd)?.table ?? {}
  return { ...(coder === undefined ? {} : { coder }), ...(model === undefined ? {} : { model }) }
}

/** The innermost project that contains the directory, whatever links lead to either. */
export function projectAround(config: Config, cwd: string | undefined) {
  const paths = Object.keys(config.projects)
  if (cwd === undefined || paths.length === 0) return undefined
  const real = realPathOf(cwd)
  const [path] = paths
    .filter((each) => real === each || real.startsWith(each.endsWith(sep) ? each : `${each}${sep}`))
    .sort((a, b) => b.length - a.length)
  const table = path === undefined ? undefined : config.projects[path]
  return path === undefined || table === undefined ? undefined : { path, table }
}
