import { ownBdEnvironment } from '../domain/queue/bd-environment.ts'
import { isFleetItself, judgeBd } from '../domain/queue/bd-version.ts'
import { exec, outputText, VERSION_BYTES } from '../platform/process/exec.ts'
import { findPrograms } from '../platform/process/program.ts'

export type BdFound =
  | { readonly kind: 'none' }
  | { readonly kind: 'usable'; readonly path: string; readonly version: string }
  /** Answers, but fleet does not drive this version. */
  | { readonly kind: 'refused'; readonly path: string; readonly version: string; readonly why: string }
  | { readonly kind: 'broken'; readonly path: string }

/** The first `bd` on PATH that is not fleet itself. It is asked for its version, because any program may have that name. */
export async function findBd(env: NodeJS.ProcessEnv): Promise<BdFound> {
  for (const path of findPrograms('bd', env)) {
    const limits = { timeoutMs: 10_000, maxBytes: VERSION_BYTES }
    const run = await exec(path, { argv: ['version', '--json'], env: ownBdEnvironment(env, ''), ...limits })
    const text = run.kind === 'ended' ? outputText(run) : ''
    if (isFleetItself(text)) continue
    const version = run.kind === 'ended' && run.code === 0 ? VERSION.exec(text)?.[1] : undefined
    const verdict = version === undefined ? undefined : judgeBd(version)
    return verdict === undefined ? { kind: 'broken', path } : { ...verdict, path }
  }
  return { kind: 'none' }
}

/** In JSON, or in the text of an older bd that does not know --json here. */
const VERSION = /(?:"version":\s*"|bd version )(\d[^\s"]*)/
