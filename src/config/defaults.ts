import { sep } from 'node:path'
import type { Defaults } from '../domain/fleet/assignment.ts'
import { wayDown } from '../platform/files/same-folder.ts'
import { ownModel } from './check.ts'
import type { Config } from './schema.ts'

/** The settings of a task in this directory that names none itself. */
export function defaultsFor(
  config: Config,
  cwd: string | undefined,
  find: (cwd: string | undefined) => Project = (each) => projectAround(config, each),
): Defaults {
  const { coder, model } = config
  return { project: settingsOf(find(cwd)), coder, model, modelOf: (name) => ownModel(config, name) }
}

function settingsOf(project: Project): Defaults['project'] {
  const { coder, model } = project?.table ?? {}
  return { ...(coder === undefined ? {} : { coder }), ...(model === undefined ? {} : { model }) }
}

/** The innermost project that contains the directory, under whatever name either is written. */
function projectAround(config: Config, cwd: string | undefined) {
  if (cwd === undefined) return undefined
  const [nearest] = Object.entries(config.projects)
    .flatMap(([path, table]) => {
      const way = wayDown(path, cwd)
      return way === undefined ? [] : [{ path, table, depth: way === '' ? 0 : way.split(sep).length }]
    })
    .sort((a, b) => a.depth - b.depth)
  return nearest && { path: nearest.path, table: nearest.table }
}

type Project = ReturnType<typeof projectAround>

const ASK_AGAIN_MS = 2000

/** For many questions about few directories: a claim asks about every ready task, and each answer looks at the disk. */
export function projectFinder(config: Config): (cwd: string | undefined) => Project {
  let since = performance.now()
  const found = new Map<string | undefined, Project>()
  return (cwd) => {
    if (performance.now() - since > ASK_AGAIN_MS) {
      found.clear()
      since = performance.now()
    }
    if (!found.has(cwd)) found.set(cwd, projectAround(config, cwd))
    return found.get(cwd)
  }
}
