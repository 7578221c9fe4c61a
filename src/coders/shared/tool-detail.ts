import { firstLine } from '../../domain/text/bounded.ts'
import { type Fields, SHORT, string } from './fields.ts'

/** The parameters that say most about a tool call, for the tools of all coders. */
const NAMES = [
  'command',
  'file_path',
  'filePath',
  'notebook_path',
  'absolute_path',
  'dir_path',
  'path',
  'pattern',
  'url',
  'query',
  'description',
]

/** The command, the file: one line for people. */
export function toolDetail(input: Fields | undefined): string | undefined {
  for (const name of NAMES) {
    const value = string(input?.[name])
    if (value !== undefined) return firstLine(value, SHORT)
  }
  return undefined
}
