import { ownBdEnvironment } from '../domain/bd-environment.ts'
import { judgeBd } from '../domain/bd-version.ts'
import { ask, findProgram } from '../platform/program.ts'

export type BdFound =
  | { readonly kind: 'none' }
  | { readonly kind: 'usable'; readonly path: string; readonly version: string }
  /** Answers, but fleet does not drive this version. */
  | { readonly kind: 'refused'; readonly path: string; readonly version: string; readonly why: string }
  | { readonly kind: 'broken'; readonly path: string }

/** The `bd` on PATH, asked for its version: a name on PATH may be anything. */
export async function findBd(env: NodeJS.ProcessEnv): Promise<BdFound> {
  const path = findProgram('bd', env)
  if (path === undefined) return { kind: 'none' }
  const answer = await ask(path, { argv: ['version', '--json'], timeoutMs: 10_000, env: ownBdEnvironment(env, '') })
  // A script of that name that calls fleet bd, for people who are used to it.
  if (answer.kind === 'answered' && OURSELVES.test(answer.text)) return { kind: 'none' }
  const version = answer.kind === 'answered' && answer.code === 0 ? VERSION.exec(answer.text)?.[1] : undefined
  const verdict = version === undefined ? undefined : judgeBd(version)
  return verdict === undefined ? { kind: 'broken', path } : { ...verdict, path }
}

const OURSELVES = /"build":\s*"fleet /

/** In the JSON of today, or in the line of a bd that does not know --json here. */
const VERSION = /(?:"version":\s*"|bd version )(\d[^\s"]*)/
