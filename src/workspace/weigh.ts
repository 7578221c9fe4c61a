import { hash } from 'node:crypto'
import { join } from 'node:path'
import type { FoundFile } from '../domain/evidence/found-changes.ts'
import { isByProduct, isNotes, type Weakness } from '../domain/evidence/weak-change.ts'
import { fileBytes } from '../platform/files/content-stamp.ts'
import { pacer } from '../platform/files/walk.ts'
import { WORKING_FILES } from './artifacts.ts'

export interface Weighing {
  readonly root: string
  /** Of the task, with its plan and knowledge. */
  readonly artifacts: string
  /** Whether nothing stood at this path before the run. */
  isNew(path: string): boolean
  /** What else is known of a path. */
  weakness(path: string): Weakness | undefined
}

/** Larger files hold more than notes, and text. */
const READ = 1 << 16
/** Of more files a part is evidence enough. */
const MOST = 2000

/** Adds to each change why it is no evidence by itself, where that is so. */
export async function weighed(files: readonly FoundFile[], weighing: Weighing): Promise<FoundFile[]> {
  const pause = pacer()
  let notes: readonly Buffer[] | undefined
  const weigh = (path: string): Weakness | undefined => {
    const known = weighing.weakness(path)
    if (known !== undefined || !weighing.isNew(path)) return known
    if (isNotes(path)) return 'notes'
    if (isByProduct(path)) return 'by-product'
    const bytes = fileBytes(join(weighing.root, path), READ)
    if (bytes === undefined) return undefined
    if (isBlank(bytes)) return 'blank'
    notes ??= WORKING_FILES.flatMap((name) => fileBytes(join(weighing.artifacts, name), READ) ?? [])
    return notes.some((each) => each.equals(bytes)) ? 'copy of its notes' : undefined
  }
  const found: FoundFile[] = []
  for (const [i, file] of files.entries()) {
    await pause()
    const weak = i < MOST && file.asked !== true ? weigh(file.path) : undefined
    found.push(weak === undefined ? file : { ...file, weak })
  }
  return found
}

/** Spaces, line ends and NUL, or nothing at all. */
export function isBlank(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte === 0 || byte === 0x20 || (byte >= 0x09 && byte <= 0x0d))
}

/** The id under which git would store a file; undefined: too large, or no plain file. */
export function blobId(path: string, algorithm: 'sha1' | 'sha256'): string | undefined {
  const bytes = fileBytes(path, 1 << 20)
  return bytes && hash(algorithm, Buffer.concat([Buffer.from(`blob ${bytes.length}\0`), bytes]))
}
