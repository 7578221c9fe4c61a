import { ownBdEnvironment } from '../domain/queue/bd-environment.ts'
import { isFleetItself, judgeBd } from '../domain/queue/bd-version.ts'
import { exec, outputText, VERSION_BYTES } from '../platform/process/exec.ts'
import { findPrograms } from '../platform/process/program.ts'

export type BdFound =
  | { readonly kind: 'none' }
  | { readonly kind: 'usable'; readonly path: string; readonly version: string }
  /** It works, but fleet does not support this version. */
  | { readonly kind: 'refused'; readonly path: string; readonly version: string; readonly why: string }
  | { readonly kind: 'broken'; readonly path: string }

/** The first `bd` on PATH that is not fleet itself. Asks it for its version, because any program may be named bd. */
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

/** Matches the JSON output, and the plain line of an older bd that does not support --json here. */
const VERSION = /(?:"version":\s*"|bd version )(\d[^\s"]*)/
