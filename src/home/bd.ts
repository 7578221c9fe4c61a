import { ask, findProgram } from '../platform/program.ts'

export type BdFound =
  | { readonly kind: 'none' }
  | { readonly kind: 'usable'; readonly path: string; readonly version: string }
  | { readonly kind: 'broken'; readonly path: string }

/** The `bd` on PATH, asked for its version: a name on PATH may be anything. */
export async function findBd(env: NodeJS.ProcessEnv): Promise<BdFound> {
  const path = findProgram('bd', env)
  if (path === undefined) return { kind: 'none' }
  const quiet = { ...env, BD_DISABLE_METRICS: '1', BD_NON_INTERACTIVE: '1' }
  const answer = await ask(path, { argv: ['version'], timeoutMs: 5000, env: quiet })
  const version =
    answer.kind === 'answered' && answer.code === 0 ? /bd version (\S+)/.exec(answer.text)?.[1] : undefined
  return version === undefined ? { kind: 'broken', path } : { kind: 'usable', path, version }
}
