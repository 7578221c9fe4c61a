import { execFileSync } from 'node:child_process'
import { constants, openSync } from 'node:fs'
import { Socket } from 'node:net'
import { now } from './clock.mjs'

/**
 * A named pipe into which each agent writes a word as its first instruction. This process takes the time, because a shell
 * would have to start a process to ask for it.
 */
export function hangBell(path) {
  execFileSync('mkfifo', [path])
  // Also open for writing: otherwise the pipe ends when no agent has it open.
  const fd = openSync(path, constants.O_RDWR | constants.O_NONBLOCK)
  const socket = new Socket({ fd, readable: true, writable: false })
  const rung = new Map()
  const waiting = new Map()
  let half = ''
  socket.setEncoding('utf8').on('data', (text) => {
    const at = now()
    const words = `${half}${text}`.split('\n')
    half = words.pop()
    for (const word of words) {
      rung.set(word, at)
      waiting.get(word)?.(at)
    }
  })
  return {
    /** Every word so far, and its time. */
    rung,
    /** The time of that word, by `now` of clock.mjs. */
    at: (word, seconds = 60) =>
      new Promise((resolve, reject) => {
        if (rung.has(word)) return resolve(rung.get(word))
        const timer = setTimeout(() => reject(new Error(`no agent wrote ${word} within ${seconds} s`)), seconds * 1000)
        waiting.set(word, (at) => {
          clearTimeout(timer)
          resolve(at)
        })
      }),
    [Symbol.dispose]: () => socket.destroy(),
  }
}
