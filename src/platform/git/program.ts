import { sep } from 'node:path'
import { findPrograms } from '../process/program.ts'

/** By PATH: the gits that stood there when fleet first looked, which is before its first agent starts. */
const known = new Map<string, readonly string[]>()

/** The git that fleet runs; undefined: none. Never one below `project`, where an agent can put it. */
export function gitProgram(env: NodeJS.ProcessEnv, project?: string): string | undefined {
  const path = env['PATH'] ?? ''
  let found = known.get(path)
  if (found === undefined || found.length === 0) {
    found = findPrograms('git', env)
    known.set(path, found)
  }
  return found.find((each) => project === undefined || !each.startsWith(project + sep))
}
