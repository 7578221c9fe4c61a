import { closeSync, constants, fchmodSync, fstatSync, ftruncate, openSync, read, rmSync, write } from 'node:fs'
import { copyFile as cloneFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { type Opened, openRegular } from './regular-file.ts'

const [readPart, writePart, cut] = [promisify(read), promisify(write), promisify(ftruncate)]

/** Bounds a number of copies together. */
export interface CopyBudget {
  /** How many more may be copied. Files that share their blocks with the original cost none. */
  bytes: number
  /** false: end now. */
  readonly isWanted?: () => boolean
}

export type Copied = 'copied' | 'gone' | 'exists' | 'too-large' | 'stopped'

/**
 * Copies a regular file with its mode, a part at a time: one of many gigabytes holds up nothing else. Follows no link, and
 * leaves holes as holes. A copy that is not completed leaves nothing.
 */
export async function copyFile(from: string, to: string, budget: CopyBudget): Promise<Copied> {
  const source = openRegular(from, { flags: constants.O_RDONLY, links: 'refuse', hint: 'move it away' })
  if (source === undefined) return 'gone'
  try {
    if (budget.isWanted?.() === false) return 'stopped'
    const cloned = await clone(source.fd, from, to)
    if (cloned !== undefined) return cloned
    return source.size > budget.bytes ? 'too-large' : await copyParts(source, to, budget)
  } finally {
    closeSync(source.fd)
  }
}

/** undefined: this file system has no clones. */
async function clone(fd: number, from: string, to: string): Promise<'copied' | 'exists' | undefined> {
  // By its name it could meanwhile be a pipe, which Linux would wait for.
  const path = process.platform === 'linux' ? `/proc/self/fd/${fd}` : from
  try {
    await cloneFile(path, to, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE_FORCE)
    return 'copied'
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EEXIST' ? 'exists' : undefined
  }
}

const PART = 256 << 10
const ZEROS = Buffer.alloc(PART)

async function copyParts({ fd, size }: Opened, to: string, budget: CopyBudget): Promise<Copied> {
  const target = openNew(to)
  if (target === undefined) return 'exists'
  let result: Copied | undefined
  try {
    const part = Buffer.allocUnsafe(Math.min(PART, size + 1))
    let at = 0
    while (result === undefined) {
      const { bytesRead } = await readPart(fd, part, 0, part.length, at)
      budget.bytes -= bytesRead
      // It may grow meanwhile.
      if (budget.bytes < 0) result = 'too-large'
      else if (budget.isWanted?.() === false) result = 'stopped'
      else if (bytesRead === 0) result = 'copied'
      else await writeAll(target, part.subarray(0, bytesRead), at)
      at += bytesRead
    }
    await cut(target, at)
    fchmodSync(target, fstatSync(fd).mode & 0o7777)
    return result
  } finally {
    closeSync(target)
    if (result !== 'copied') rmSync(to, { force: true })
  }
}

/** undefined: something is there. */
function openNew(path: string): number | undefined {
  try {
    return openSync(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return undefined
    throw error
  }
}

async function writeAll(fd: number, bytes: Buffer, at: number): Promise<void> {
  if (bytes.equals(ZEROS.subarray(0, bytes.length))) return
  for (let done = 0; done < bytes.length; ) {
    done += (await writePart(fd, bytes, done, bytes.length - done, at + done)).bytesWritten
  }
}
