import { AppError } from '../../errors.ts'
import { readDiff } from '../diff.ts'
import type { DiffPlace } from '../task-file.ts'

/** The lines that a diff adds and removes. */
export interface DiffSize {
  readonly added: number
  readonly removed: number
  /** false: of a directory as it is now, which others may have changed, too. */
  readonly isOwn: boolean
}

/** undefined: there is no diff to be had. */
export async function diffSize(given: Promise<DiffPlace>, env: NodeJS.ProcessEnv): Promise<DiffSize | undefined> {
  const counter = lineCounter()
  try {
    const place = await given
    await readDiff(place, { env, take: counter.take })
    return { ...counter.size(), isOwn: place.commits !== undefined || place.own !== undefined }
  } catch (error) {
    if (error instanceof AppError) return undefined
    throw error
  }
}

const [PLUS, MINUS, AT, LINE_END] = ['+', '-', '@', '\n'].map((char) => char.charCodeAt(0))
const HEADER = 'd'.charCodeAt(0)

/** Counts in the bytes, so that a diff of any size needs no memory. The `+++` and `---` of a file come before its first `@@`. */
export function lineCounter(): { take(bytes: Uint8Array): void; size(): Omit<DiffSize, 'isOwn'> } {
  let [added, removed] = [0, 0]
  let inHunk = false
  let isLineStart = true
  return {
    take(bytes) {
      for (const byte of bytes) {
        if (isLineStart) {
          if (byte === AT) inHunk = true
          else if (byte === HEADER) inHunk = false
          else if (inHunk && byte === PLUS) added++
          else if (inHunk && byte === MINUS) removed++
        }
        isLineStart = byte === LINE_END
      }
    },
    size: () => ({ added, removed }),
  }
}
