import { hash } from 'node:crypto'
import { join } from 'node:path'
import type { FoundFile } from '../domain/evidence/found-changes.ts'
import { byProductsWith, isNotes, type Weakness } from '../domain/evidence/weak-change.ts'
import { fileBytes } from '../platform/files/content-stamp.ts'
import { textIn } from '../platform/files/text-in.ts'
import { pacer, stampOf } from '../platform/files/walk.ts'
import { WORKING_FILES } from './artifacts.ts'

export interface Weighing {
  readonly root: string
  /** Of the task, with its plan and knowledge. */
  readonly artifacts: string
  /** Whether nothing stood at this path before the run. */
  isNew(path: string): boolean
  /** The project's own patterns of what its tools leave behind. */
  readonly byProducts: readonly string[] | undefined
  /** Further facts about a path. */
  weakness(path: string): Weakness | undefined
}

/** Larger files hold more than notes. */
const NOTES_BYTES = 1 << 16
/** A bound for all files without text together, because every byte of them is read. Beyond it, the beginning of a file decides. */
const ALL_BYTES = 256 << 20
const FILE_BYTES = 64 << 20
const BEGINNING = 1 << 16

/** Adds to each change why it is no evidence by itself, where that is so. */
export async function weighed(files: readonly FoundFile[], weighing: Weighing): Promise<FoundFile[]> {
  const pause = pacer()
  let notes: readonly Buffer[] | undefined
  const isByProduct = byProductsWith(weighing.byProducts ?? [])
  let bytesLeft = ALL_BYTES
  const isBlank = (path: string): boolean => {
    const text = textIn(path, { least: 1, most: Math.max(BEGINNING, Math.min(FILE_BYTES, bytesLeft)) })
    bytesLeft -= text?.read ?? 0
    return text?.hasText === false
  }
  const isCopyOfNotes = (path: string): boolean => {
    notes ??= WORKING_FILES.flatMap((name) => fileBytes(join(weighing.artifacts, name), NOTES_BYTES) ?? [])
    const size = notes.length === 0 ? undefined : stampOf(path)?.size
    return notes.some((each) => each.length === size && fileBytes(path, NOTES_BYTES)?.equals(each) === true)
  }
  const weigh = (path: string): Weakness | undefined => {
    const known = weighing.weakness(path)
    if (known !== undefined || !weighing.isNew(path)) return known
    if (isNotes(path)) return 'notes'
    if (isByProduct(path)) return 'by-product'
    const full = join(weighing.root, path)
    if (isBlank(full)) return 'blank'
    return isCopyOfNotes(full) ? 'copy of its notes' : undefined
  }
  const found: FoundFile[] = []
  for (const file of files) {
    await pause()
    const weak = file.asked === true ? undefined : weigh(file.path)
    found.push(weak === undefined ? file : { ...file, weak })
  }
  return found
}

/** The id under which git would store a file; undefined: too large, or no plain file. */
export function blobId(path: string, algorithm: 'sha1' | 'sha256'): string | undefined {
  const bytes = fileBytes(path, FILE_BYTES)
  return bytes && hash(algorithm, Buffer.concat([Buffer.from(`blob ${bytes.length}\0`), bytes]))
}
