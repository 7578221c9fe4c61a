import { firstLine } from '../text/bounded.ts'
import type { Outcome } from './outcome.ts'
import type { Exit } from './run.ts'

/**
 * What a shell's exit says of a program that the machine cannot run: its file is no program, or its interpreter is missing.
 * A prompt too long for an argument is no fault of the program.
 */
export function brokenBinary(binary: string, exit: Exit, stderr: string): Outcome | undefined {
  if (exit.kind !== 'code' || (exit.code !== 126 && exit.code !== 127) || stderr.includes('too long')) return undefined
  return {
    code: 'broken-binary',
    text: `${binary} cannot be run: ${firstLine(stderr.replace(SHELL, ''), 300) || `exit ${exit.code}`}`,
  }
}

/** How a shell calls itself when it complains: by the exit file it was given as its name, and the number of a line. */
const SHELL = /^\s*\S*exit\.json: (line )?\d+: /
