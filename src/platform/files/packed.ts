import { constants, lstatSync, openSync, renameSync, rmSync, unlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { AppError } from '../../errors.ts'
import { chanceHex } from '../runtime/chance.ts'
import { readRegular } from './regular-file.ts'
import { temporaryFolder } from './temporary-folder.ts'

/** Larger files are left as they are until they are removed: packing and reading happen in memory. */
const LARGEST = 256 << 20

/** The name of a packed file beside the place of the file itself. */
export function packedPath(path: string): string {
  return `${path}.gz`
}

/** Packs a regular file and removes it. Returns how many bytes that frees; undefined: it is not there, or not packable. */
export async function pack(path: string): Promise<number | undefined> {
  const before = lstatSync(path, { throwIfNoEntry: false })
  if (before === undefined || !before.isFile() || before.nlink > 1 || before.size > LARGEST) return undefined
  const { gzip } = process.getBuiltinModule('node:zlib')
  const bytes = await promisify(gzip)(await readFile(path))
  const packed = packedPath(path)
  rmSync(packed, { force: true, recursive: true })
  const temporary = `${packed}.${chanceHex(8)}.tmp`
  writeFileSync(temporary, bytes, { mode: 0o600, flag: 'wx' })
  utimesSync(temporary, before.atime, before.mtime)
  const now = lstatSync(path, { throwIfNoEntry: false })
  if (now?.ino !== before.ino || now.size !== before.size || now.mtimeMs !== before.mtimeMs) {
    // It is in use again.
    rmSync(temporary)
    return undefined
  }
  renameSync(temporary, packed)
  rmSync(path)
  return before.size - bytes.length
}

/** Puts a packed file back in its place, if nothing is there. One that something else than fleet wrote stays as it is. */
export function unpack(path: string): void {
  const packed = packedPath(path)
  if (lstatSync(packed, { throwIfNoEntry: false }) === undefined) return
  if (lstatSync(path, { throwIfNoEntry: false }) !== undefined) return
  try {
    const content = unpackedContent(packed)
    if (content === undefined) return
    writeFileSync(path, content, { mode: 0o600, flag: 'wx' })
    rmSync(packed)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
  }
}

export const UNPACKED_FOLDER = 'fleet-unpacked-'
const unpacked = new Map<string, string>()

/** Opens the content of a packed file; undefined: there is none. Unpacked once, into a file that goes with this process. */
export function openPacked(path: string): number | undefined {
  const known = unpacked.get(path)
  if (known !== undefined) return openSync(known, constants.O_RDONLY)
  const content = unpackedContent(packedPath(path))
  if (content === undefined) return undefined
  const folder = temporaryFolder(UNPACKED_FOLDER)
  const plain = join(folder, 'content')
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  writeFileSync(plain, content, { mode: 0o600 })
  unpacked.set(path, plain)
  return openSync(plain, constants.O_RDONLY)
}

/** An agent may have put anything in its place. */
function unpackedContent(packed: string): Buffer | undefined {
  const bytes = readRegular(packed, LARGEST, 'refuse')
  if (bytes === undefined) return undefined
  try {
    return process.getBuiltinModule('node:zlib').gunzipSync(bytes, { maxOutputLength: LARGEST })
  } catch (error) {
    const why = `${packed} cannot be unpacked (${(error as NodeJS.ErrnoException).code ?? (error as Error).message})`
    throw new AppError('failed', why, { hint: 'something else than fleet wrote it', cause: error })
  }
}

/** Removes a file, packed or not. Returns how many bytes that frees. */
export function removePacked(path: string): number {
  let freed = 0
  for (const each of [path, packedPath(path)]) {
    const entry = lstatSync(each, { throwIfNoEntry: false })
    if (entry === undefined || entry.isDirectory()) continue
    unlinkSync(each)
    freed += entry.size
  }
  return freed
}

/** The size of a file, packed or not; 0: it is not there. */
export function packedSize(path: string): { readonly plain: number; readonly packed: number } {
  const size = (each: string): number => {
    const entry = lstatSync(each, { throwIfNoEntry: false })
    return entry?.isFile() === true ? entry.size : 0
  }
  return { plain: size(path), packed: size(packedPath(path)) }
}
