import { findProgram } from './program.ts'

/** A program that fleet can do without, and the difference that makes, for people. */
export interface UsefulProgram {
  readonly program: string
  readonly effect: string
}

const USEFUL: readonly (UsefulProgram & { readonly on?: NodeJS.Platform })[] = [
  {
    program: 'git',
    effect: 'changes are found by looking at files only, and there are no diffs and clones',
  },
  // Elsewhere there is no launcher.
  { program: 'perl', effect: 'there is no launcher, so agents start more slowly', on: 'linux' },
]

export function missingPrograms(env: NodeJS.ProcessEnv): readonly UsefulProgram[] {
  return USEFUL.filter(({ on = process.platform }) => on === process.platform)
    .filter(({ program }) => findProgram(program, env) === undefined)
    .map(({ program, effect }) => ({ program, effect }))
}
