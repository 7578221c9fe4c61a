import { AppError } from '../../errors.ts'
import { privateFile } from '../files/files.ts'
import { Database } from './database.ts'

/** Runs `work` while no other process runs work under the same lock file. Freed by whatever ends the process. */
export async function exclusively<T>(path: string, work: () => Promise<T>): Promise<T> {
  privateFile(path)
  using lock = new Database(path, { busyTimeoutMs: 10_000 })
  try {
    lock.exec('begin exclusive')
  } catch (error) {
    // The queue is not what is in trouble.
    throw error instanceof AppError
      ? new AppError('failed', error.message, { hint: error.hint ?? '', cause: error })
      : error
  }
  return await work()
}
