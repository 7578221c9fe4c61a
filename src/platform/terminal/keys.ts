import type { ReadStream } from 'node:tty'
import { isTyped } from './terminal.ts'

/** A key as a program knows it: a printable character, or the name of another key. */
export type Key = string

/** The keys in what a terminal sent. Escape sequences of keys without a name are left out. */
export function keysIn(text: string): Key[] {
  const keys: Key[] = []
  for (const [sequence] of text.matchAll(SEQUENCES)) {
    const name =
      NAMES[sequence] ?? (sequence.length === 1 && sequence >= ' ' && sequence !== '\u007f' ? sequence : undefined)
    if (name !== undefined) keys.push(name)
  }
  return keys
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: terminals send them
const SEQUENCES = /\u001b(?:\[[\u0020-\u003f]*[\u0040-\u007e]|O.)?|[\s\S]/g

const NAMES: Readonly<Record<string, Key>> = {
  '\u001b': 'escape',
  '\u001b[A': 'up',
  '\u001bOA': 'up',
  '\u001b[B': 'down',
  '\u001bOB': 'down',
  '\u001b[5~': 'page-up',
  '\u001b[6~': 'page-down',
  '\u001b[H': 'home',
  '\u001bOH': 'home',
  '\u001b[1~': 'home',
  '\u001b[F': 'end',
  '\u001bOF': 'end',
  '\u001b[4~': 'end',
  '\u0003': 'interrupt',
  '\u001a': 'suspend',
}

/**
 * Passes on each key as it is pressed, until it is disposed of; undefined: no person types here. Ctrl-C and Ctrl-Z do what
 * they always do. Node itself restores the terminal when a signal ends the process.
 */
export function onKeys(take: (key: Key) => void): Disposable | undefined {
  if (!isTyped()) return undefined
  const input = process.stdin as ReadStream
  const raw = (on: boolean): void => void input.setRawMode(on)
  const goesOn = (): void => raw(true)
  const read = (bytes: Buffer): void => {
    for (const key of keysIn(bytes.toString('latin1'))) {
      if (key === 'interrupt' || key === 'suspend') {
        raw(false)
        process.kill(process.pid, key === 'interrupt' ? 'SIGINT' : 'SIGTSTP')
      } else take(key)
    }
  }
  raw(true)
  process.on('SIGCONT', goesOn)
  input.on('data', read)
  return {
    [Symbol.dispose]() {
      input.off('data', read)
      process.off('SIGCONT', goesOn)
      raw(false)
      input.pause()
    },
  }
}
