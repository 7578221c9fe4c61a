import { statSync } from 'node:fs'
import { dirname } from 'node:path'
import { pathToFileURL } from 'node:url'
import { AppError } from '../../errors.ts'
import { fileStamp, linkTarget } from '../files/files.ts'

/** The exports of a user's file. It runs with all of fleet's rights, so only the user may be able to change it. */
export async function loadModule(path: string): Promise<Readonly<Record<string, unknown>>> {
  const file = linkTarget(path)
  try {
    refuseUnreadable(file, path)
    for (const each of [file, dirname(file), dirname(path)]) refuseIfOthersWrite(each, path)
    const url = pathToFileURL(file)
    // Node caches modules by URL: a changed file needs another one.
    url.search = fileStamp(file).replaceAll(' ', '-')
    return await inTime(import(url.href))
  } catch (error) {
    if (error instanceof AppError) throw error
    const why = error instanceof Error ? error.message : String(error)
    throw new AppError('config', `${path} cannot be loaded: ${why}`, { hint: `try: node ${path}`, cause: error })
  }
}

const PATIENCE_MS = 10_000

/** A top-level await may never end, and would hold up every task of this coder. */
async function inTime<T>(loaded: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`not within ${PATIENCE_MS / 1000} s`)), PATIENCE_MS)
  })
  return await Promise.race([loaded, timeout]).finally(() => clearTimeout(timer))
}

/** The most that a coder's file may have. */
const MODULE_LIMIT = 1 << 20

/** Node would wait for ever on a pipe. */
function refuseUnreadable(file: string, path: string): void {
  const { size } = statSync(file)
  const why = !statSync(file).isFile() ? 'is not a file' : size > MODULE_LIMIT ? `has ${size} bytes` : undefined
  if (why !== undefined) throw new AppError('config', `${path} cannot be loaded: it ${why}`, { hint: 'move it away' })
}

function refuseIfOthersWrite(path: string, module: string): void {
  const { mode, uid } = statSync(path)
  const mine = process.getuid?.()
  const what =
    (mode & 0o022) !== 0
      ? 'can be written by others'
      : mine !== undefined && uid !== mine && uid !== 0
        ? 'belongs to somebody else'
        : undefined
  if (what === undefined) return
  const hint = `chmod go-w ${path}, after a look at what is in it`
  throw new AppError('config', `${module} is not run: ${path === module ? 'it' : path} ${what}`, { hint })
}
