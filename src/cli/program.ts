import type { Program } from '../actions/action-context.ts'
import { version } from '../version.ts'

/** This program, as a supervisor and its agents call it. */
export function thisProgram(): Program {
  return { node: process.execPath, fleet: process.argv[1] ?? '', version }
}
