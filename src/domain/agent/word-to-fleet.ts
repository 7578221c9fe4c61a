/** Longer commands hold a long summary; what follows it is of no interest. */
const MOST = 20_000

/**
 * Whether a shell command does nothing but say something to fleet: `fleet done`, `ask` or `note`, or the close of its own
 * task. What only shows or ignores its output, or its status, changes nothing. Anything more, such as a second command, is work.
 */
export function isWordToFleet(command: string | undefined): boolean {
  if (command === undefined || command.length > MOST || !command.includes('fleet')) return false
  const bare = withoutQuoted(withoutTexts(unwrapped(command.trim())))
  if (bare === undefined) return false
  const parts = bare
    .replaceAll(TO_NOWHERE, '')
    .replaceAll('$?', 'Q')
    .split(/&&|\|\||[;\n]/)
  const words = parts.map((part) => part.trim())
  return words.some((word) => WORD.test(word)) && words.every((word) => WORD.test(word) || IDLE.test(word))
}

const WORD =
  /^(?:[\w./~-]*\/)?fleet +(?:done|ask|note|bd +close)(?: [^&|<>()`$]*)?(?:\| *(?:tail|head|cat)(?: +[\w-]+)* *)*$/
const IDLE = /^(?:cd +[^\s&|<>()`$]+|echo(?: [^&|<>()`$]*)?|true|:)?$/
const TO_NOWHERE = /\s*(?:\d?>&\d|[&\d]?>{1,2} *\/dev\/null)(?=[\s;|&)]|$)/g

/** A text that is given between two lines is one, unless it runs a command. */
function withoutTexts(command: string): string {
  const text = /"\$\(cat <<-?\s*(['"]?)(\w+)\1[ \t]*\n(.*?\n)?[ \t]*\2[ \t]*\n?\s*\)"/gs
  return command.replaceAll(text, (whole, quote: string, _name, body = '') =>
    quote === '' && /\$\(|`/.test(body) ? whole : 'Q',
  )
}

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
