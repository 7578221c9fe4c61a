import { writeSync } from 'node:fs'
import { AppError } from '../../errors.ts'

const gone = new Set<number>()

/**
 * Writes to a standard stream, whole and at once. `process.stdout` would cost a stream's start on every command and
 * holds in memory what a slow reader has not taken yet. Once the reader has gone (`| head`), what is written is dropped
 * and the command goes on: half a change because nobody reads its report would be worse than a report nobody reads.
 */
function write(fd: 1 | 2, content: string | Uint8Array): void {
  let bytes: Uint8Array = typeof content === 'string' ? Buffer.from(content) : content
  while (bytes.length > 0 && !gone.has(fd)) {
    try {
      bytes = bytes.subarray(writeSync(fd, bytes))
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code
      // Somebody made the pipe non-blocking and its reader is slow.
      if (code === 'EAGAIN') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5)
      else if (code === 'EPIPE' || fd === 2) gone.add(fd)
      else throw new AppError('failed', `the output could not be written: ${code}`, { cause: error })
    }
  }
}

export const writeOut = (text: string): void => write(1, text)
export const writeErr = (text: string): void => write(2, text)

/** Nobody reads any more: a long listing may stop here. */
export const isOutputGone = (): boolean => gone.has(1)

/** Bytes as they are, for whoever reads them as a program. */
export const writeBytes = (bytes: Uint8Array): void => write(1, bytes)
