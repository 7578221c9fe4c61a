import type { Program } from '../actions/acting.ts'
import { version } from '../version.ts'

/** This program, as a supervisor and its agents call it. */
export function thisProgram(): Program {
  return { node: process.execPath, fleet: process.argv[1] ?? '', version }
}
