import { statSync } from 'node:fs'
import { type BwrapMode, type BwrapPrograms, bwrapArgv, type Inside } from '../../domain/sandbox/bwrap.ts'
import type { Standing } from '../../domain/sandbox/rules.ts'
import { seatbeltArgv } from '../../domain/sandbox/seatbelt.ts'
import { realPathOf } from '../files/same-folder.ts'
import { findProgram } from '../process/program.ts'

/** A way to run a program in a sandbox on this machine. */
export type Way =
  | { readonly kind: 'bwrap'; readonly mode: BwrapMode; readonly programs: BwrapPrograms }
  | { readonly kind: 'seatbelt' }

export function argvOf(inside: Inside, way: Way): readonly string[] {
  return way.kind === 'seatbelt' ? seatbeltArgv(inside) : bwrapArgv(inside, way.programs, way.mode)
}

export function standing(path: string): Standing | undefined {
  const real = realPathOf(path)
  const kind = real === undefined ? undefined : statSync(real, { throwIfNoEntry: false })
  if (real === undefined || kind === undefined) return undefined
  return { path: real, kind: kind.isDirectory() ? 'folder' : 'file' }
}

/** The ways to run it, the best first; or why there is none. */
export function waysHere({ env, isRoot }: { env: NodeJS.ProcessEnv; isRoot: boolean }): readonly Way[] | string {
  if (process.platform === 'darwin') return [{ kind: 'seatbelt' }]
  if (process.platform !== 'linux') return 'there is none for this system'
  const bwrap = findProgram('bwrap', env)
  const tool = findProgram('env', env)
  if (bwrap === undefined) return 'bwrap is not on PATH: install bubblewrap'
  if (tool === undefined) return 'env is not on PATH: install coreutils'
  const modes: BwrapMode[] = isRoot ? ['plain', 'user-namespace'] : ['user-namespace']
  return modes.map((mode) => ({ kind: 'bwrap', mode, programs: { bwrap, env: tool } }))
}
