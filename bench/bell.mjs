import { execFileSync } from 'node:child_process'
import { constants, openSync } from 'node:fs'
import { Socket } from 'node:net'

/**
 * A named pipe that agents ring with a word, as the first thing they do: the moment of an instruction without the cost
 * of asking for the time, which in a shell is a process of its own.
 */
export function hangBell(path) {
  execFileSync('mkfifo', [path])
  // Also for writing: with no agent at the other end it would be over.
  const fd = openSync(path, constants.O_RDWR | constants.O_NONBLOCK)
  const socket = new Socket({ fd, readable: true, writable: false })
  const rung = new Map()
  const waiting = new Map()
  let half = ''
  socket.setEncoding('utf8').on('data', (text) => {
    const now = performance.now()
    const words = `${half}${text}`.split('\n')
    half = words.pop()
    for (const word of words) {
      rung.set(word, now)
      waiting.get(word)?.(now)
    }
  })
  return {
    /** All that rang so far, and when. */
    rung,
    /** When it rings with that word, by performance.now(). */
    at: (word, seconds = 60) =>
      new Promise((resolve, reject) => {
        if (rung.has(word)) return resolve(rung.get(word))
        const timer = setTimeout(() => reject(new Error(`nobody rang ${word} for ${seconds} s`)), seconds * 1000)
        waiting.set(word, (now) => {
          clearTimeout(timer)
          resolve(now)
        })
      }),
    [Symbol.dispose]: () => socket.destroy(),
  }
}
