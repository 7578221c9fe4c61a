import { createInterface } from 'node:readline'

/** Asks a person for one line. undefined: they ended the input (Ctrl-D), or interrupted it (Ctrl-C). */
export function askLine(prompt: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const lines = createInterface({ input: process.stdin, output: process.stdout, historySize: 0 })
    lines.on('close', () => resolve(undefined))
    lines.question(prompt, (line) => {
      resolve(line)
      lines.close()
    })
  })
}
