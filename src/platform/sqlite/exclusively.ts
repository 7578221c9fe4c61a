import { AppError } from '../../errors.ts'
import { privateFile } from '../files/files.ts'
import { Database } from './database.ts'

/** Runs `work` while no other process runs work under the same lock file. The lock is freed when the process ends, however it ends. */
export async function exclusively<T>(path: string, work: () => Promise<T>): Promise<T> {
  privateFile(path)
  using lock = new Database(path, { busyTimeoutMs: 10_000 })
  try {
    lock.exec('begin exclusive')
  } catch (error) {
    // A lock file's failure is not a queue failure, so it gets another exit code.
    throw error instanceof AppError
      ? new AppError('failed', error.message, { hint: error.hint ?? '', cause: error })
      : error
  }
  try {
    return await work()
  } finally {
    // Closing alone keeps the lock until the driver's statements are garbage-collected.
    lock.exec('rollback')
  }
}
