import { accessSync, constants, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { findProgram } from './program.ts'

/** The program that a shell line begins with, if it is not there or cannot be run; undefined: it can, or nobody can tell. */
export function missingProgram(
  line: string,
  { cwd, env }: { cwd: string; env: NodeJS.ProcessEnv },
): { readonly program: string; readonly why: string } | undefined {
  const program = line
    .trim()
    .split(/\s+/)
    .find((word) => !ASSIGNMENT.test(word))
  // A word with quotes, variables or operators is the shell's to read.
  if (program === undefined || !PLAIN_WORD.test(program)) return undefined
  if (!program.includes('/')) {
    return findProgram(program, env) === undefined ? { program, why: `${program} is not on PATH` } : undefined
  }
  const why = problemOf(resolve(cwd, program))
  return why === undefined ? undefined : { program, why: `${program} ${why} in ${cwd}` }
}

const ASSIGNMENT = /^[A-Za-z_]\w*=\S*$/
const PLAIN_WORD = /^[\w@%+:,./-]+$/

function problemOf(path: string): string | undefined {
  const found = statSync(path, { throwIfNoEntry: false })
  if (found === undefined) return 'does not exist'
  if (!found.isFile()) return 'is not a file'
  try {
    accessSync(path, constants.X_OK)
    return undefined
  } catch {
    return 'is not executable'
  }
}
