import { readFileSync } from 'node:fs'

const STANDARD_INPUT = 0

/** All of a file, or of standard input where the path is `-`. */
export function readInput(path: string): string {
  return readFileSync(path === '-' ? STANDARD_INPUT : path, 'utf8')
}
