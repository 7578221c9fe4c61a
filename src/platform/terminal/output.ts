import { writeSync } from 'node:fs'
import { AppError } from '../../errors.ts'

const gone = new Set<number>()

/**
 * Writes synchronously to a standard stream. `process.stdout` would slow down every command's start and buffers in memory
 * what a slow reader has not read. After the reader has closed the pipe (`| head`), output is dropped and the command
 * continues: half a change would be worse than a report that nobody reads.
 */
function write(fd: 1 | 2, content: string | Uint8Array): void {
  let bytes: Uint8Array = typeof content === 'string' ? Buffer.from(content) : content
  while (bytes.length > 0 && !gone.has(fd)) {
    try {
      bytes = bytes.subarray(writeSync(fd, bytes))
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code
      // The pipe is non-blocking and its reader is slow.
      if (code === 'EAGAIN') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5)
      else if (code === 'EPIPE' || fd === 2) gone.add(fd)
      else throw new AppError('failed', `the output could not be written: ${code}`, { cause: error })
    }
  }
}

export const writeOut = (text: string): void => write(1, text)
export const writeErr = (text: string): void => write(2, text)

/** The reader has closed the pipe: a long listing may stop. */
export const isOutputGone = (): boolean => gone.has(1)

/** Unescaped bytes, for programs. */
export const writeBytes = (bytes: Uint8Array): void => write(1, bytes)
