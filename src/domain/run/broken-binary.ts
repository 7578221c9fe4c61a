import { firstLine } from '../text/bounded.ts'
import type { Outcome } from './outcome.ts'
import type { Exit } from './run.ts'

/**
 * Recognizes by the shell's exit code that this machine cannot run the program: not an executable, or no interpreter. A
 * prompt that is too long for an argument is not the program's fault.
 */
export function brokenBinary(binary: string, exit: Exit, stderr: string): Outcome | undefined {
  if (exit.kind !== 'code' || (exit.code !== 126 && exit.code !== 127) || stderr.includes('too long')) return undefined
  return {
    code: 'broken-binary',
    text: `${binary} cannot be run: ${firstLine(stderr.replace(SHELL, ''), 300) || `exit ${exit.code}`}`,
  }
}

/** The prefix of the shell's messages: its $0, which is the path of the exit file, and a line number. */
const SHELL = /^\s*\S*exit\.json: (line )?\d+: /
