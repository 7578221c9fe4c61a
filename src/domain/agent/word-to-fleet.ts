/** Longer commands hold a long summary; what follows it is of no interest. */
const MOST = 20_000

/**
 * Whether a shell command does nothing but say something to fleet: `fleet done`, `ask` or `note`, or the close of its own
 * task. Anything more, such as a second command, is work.
 */
export function isWordToFleet(command: string | undefined): boolean {
  if (command === undefined || command.length > MOST || !command.includes('fleet')) return false
  const bare = withoutQuoted(unwrapped(command.trim()))
  return bare !== undefined && WORD.test(bare)
}

const WORD = /^(?:cd [^\s;&|<>()`$]+ && )?(?:[\w./~-]*\/)?fleet +(?:done|ask|note|bd +close)(?: [^;&|<>()`$\n]*)?$/

/** Some coders hand a whole command over in quotes. */
function unwrapped(command: string): string {
  const [, inner] = /^'([^']*)'$/s.exec(command) ?? /^"((?:[^"\\]|\\.)*)"$/s.exec(command) ?? []
  return inner === undefined ? command : inner.replaceAll(/\\(["$`\\])/g, '$1').trim()
}

/** undefined: a quoted part runs a command of its own. */
function withoutQuoted(command: string): string | undefined {
  const quoted = /'[^']*'|"(?:[^"\\]|\\.)*"/gs
  for (const [part] of command.matchAll(quoted)) {
    if (part.startsWith('"') && /\$\(|`/.test(part.replaceAll(/\\./gs, ''))) return undefined
  }
  return command.replaceAll(quoted, 'Q')
}
