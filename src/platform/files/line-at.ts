import { openReading } from './follow.ts'

/** More of one line is not needed to show it to a person. */
const MOST = 1 << 20

/** The line that begins at this offset of a file that an agent writes, at most 1 MB of it; '' if there is none. */
export function lineAt(path: string, offset: number): string {
  using file = openReading(path)
  if (file === undefined) return ''
  const bytes = file.piece(offset, MOST)
  const end = bytes.indexOf(0x0a)
  return bytes.toString('utf8', 0, end === -1 ? bytes.length : end)
}
