import { writeSync } from 'node:fs'

/**
 * Writes to a standard stream, whole and at once. `process.stdout` would cost a stream's start on every command and
 * holds in memory what a slow reader has not taken yet.
 */
function write(fd: 1 | 2, text: string): void {
  let bytes = Buffer.from(text)
  while (bytes.length > 0) {
    try {
      bytes = bytes.subarray(writeSync(fd, bytes))
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code
      // Somebody made the pipe non-blocking and its reader is slow.
      if (code === 'EAGAIN') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5)
      // The reader has seen enough (`| head`): stop quietly, as a process killed by SIGPIPE would.
      else if (code === 'EPIPE') process.exit(0)
      else throw error
    }
  }
}

export const writeOut = (text: string): void => write(1, text)
export const writeErr = (text: string): void => write(2, text)
