import { statSync } from 'node:fs'
import { dirname } from 'node:path'
import { AppError } from '../../errors.ts'
import { linkTarget } from '../files/files.ts'

export interface ModuleText {
  /** Its source, as it was read and compared. */
  readonly text: string
  /** Whether the file has this text. */
  readonly isOnDisk: boolean
}

/**
 * The exports of a user's file. It runs with all of fleet's rights, so only the user may be able to change it, and exactly
 * the given text runs: the file may be another by now. So it cannot import files beside it, which nobody compared.
 */
export async function loadModule(
  path: string,
  { text, isOnDisk }: ModuleText,
): Promise<Readonly<Record<string, unknown>>> {
  const file = linkTarget(path)
  const url = `data:text/javascript;base64,${Buffer.from(text).toString('base64')}`
  try {
    if (isOnDisk) for (const each of [file, dirname(file), dirname(path)]) refuseIfOthersWrite(each, path)
    return await inTime(import(url))
  } catch (error) {
    if (error instanceof AppError) throw error
    const why = (error instanceof Error ? error.message : String(error)).replaceAll(url, path)
    throw new AppError('config', `${path} cannot be loaded: ${why}`, { hint: hintFor(error, path), cause: error })
  }
}

const IMPORT_ERRORS = ['ERR_UNSUPPORTED_RESOLVE_REQUEST', 'ERR_INVALID_URL', 'ERR_UNSUPPORTED_ESM_URL_SCHEME']

function hintFor(error: unknown, path: string): string {
  const { code = '' } = error as NodeJS.ErrnoException
  return IMPORT_ERRORS.includes(code)
    ? 'a coder is one file: it can import modules of Node (node:path), and no other files'
    : `try: node ${path}`
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
