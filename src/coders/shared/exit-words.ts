import type { Exit } from '../../domain/run/run.ts'

const SIGNALS: Readonly<Record<number, string>> = {
  129: 'SIGHUP',
  130: 'SIGINT',
  134: 'SIGABRT',
  137: 'SIGKILL',
  139: 'SIGSEGV',
  141: 'SIGPIPE',
  143: 'SIGTERM',
}

/** `exit 143 (SIGTERM)`: a shell reports a signal as 128 and its number. */
export function exitWords(exit: Exit): string {
  if (exit.kind === 'unknown') return 'exit unknown'
  const signal = SIGNALS[exit.code]
  return signal === undefined ? `exit ${exit.code}` : `exit ${exit.code} (${signal})`
}

/** The end of stderr, in one line. */
export function lastWords(stderr: string, limit: number): string {
  const words = withoutColours(stderr).replaceAll(/\s+/g, ' ').trim()
  return words.length > limit ? `…${words.slice(-limit)}` : words
}

/** Some programs colour stderr even if it is no terminal. */
export function withoutColours(text: string): string {
  return text.replaceAll(COLOURS, '')
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: that is what a colour begins with.
const COLOURS = /\x1b\[[\d;]*m/g
