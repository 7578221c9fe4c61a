import { hash } from 'node:crypto'
import { constants, lstatSync, readlinkSync } from 'node:fs'
import { open } from 'node:fs/promises'

/** More than what a person writes; reading a database twice per run would help nobody. */
const LARGEST = 1 << 20

/** What stands at a path and who may run it, whatever its times say; undefined: nothing, or too much to read. */
export async function contentStamp(path: string): Promise<string | undefined> {
  try {
    const { mode, size } = lstatSync(path)
    if ((mode & constants.S_IFMT) === constants.S_IFLNK) return stamp(mode, readlinkSync(path, 'buffer'))
    if (size > LARGEST) return undefined
    await using file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    return (await file.stat()).isFile() ? stamp(mode, await file.readFile()) : undefined
  } catch {
    return undefined // gone, or not ours to read
  }
}

function stamp(mode: number, content: Buffer): string {
  return `${mode.toString(8)}-${hash('sha1', content)}`
}
