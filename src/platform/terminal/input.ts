import { isUtf8 } from 'node:buffer'
import { readFileSync } from 'node:fs'
import { FOR_SANDBOX } from '../../domain/agent/outside-call.ts'
import { AppError } from '../../errors.ts'

const STANDARD_INPUT = 0

/** Reads a file, or standard input if the path is `-`. Refuses input that is not UTF-8 instead of repairing it silently. */
export function readInput(path: string): string {
  if (path !== '-' && process.env[FOR_SANDBOX] !== undefined) {
    throw new AppError('unsupported', `${path} is not read in a sandbox`, { hint: 'give its text on stdin, with -' })
  }
  const bytes = readFileSync(path === '-' ? STANDARD_INPUT : path)
  if (isUtf8(bytes)) return bytes.toString('utf8')
  throw new AppError('failed', `line ${firstBadLine(bytes)} is not UTF-8 text`, {
    hint: `nothing was changed; save ${path === '-' ? 'it' : path} as UTF-8`,
  })
}

function firstBadLine(bytes: Buffer): number {
  let line = 1
  for (let start = 0; start < bytes.length; line++) {
    const found = bytes.indexOf(0x0a, start)
    const end = found === -1 ? bytes.length : found
    if (!isUtf8(bytes.subarray(start, end))) break
    start = end + 1
  }
  return line
}
