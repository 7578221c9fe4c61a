/** One setting of a git configuration: section and name in lower case, a subsection as it is written. */
export type Setting = readonly [key: string, value: string]

/**
 * The settings of a git configuration file, in its order, as `git config --list --no-includes` would list them. fleet reads
 * a repository's configuration itself: it needs a few plain values, and git would obey all of it. Reading ends at the first
 * line that git would refuse.
 */
export function settingsIn(text: string): Setting[] {
  const settings: Setting[] = []
  let section = ''
  const reader = new Reader(text.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n'))
  for (;;) {
    reader.skip(/[\s]*/y)
    if (reader.atEnd) return settings
    if (reader.skip(/[#;][^\n]*/y) !== '') continue
    const header = reader.match(HEADER)
    if (header !== null) {
      section = sectionName(header)
      continue
    }
    const name = reader.skip(/[A-Za-z][A-Za-z0-9-]*/y)
    if (name === '' || section === '') return settings
    reader.skip(/[ \t]*/y)
    const value = reader.skip(/=/y) === '' ? bare(reader) : valueAt(reader)
    if (value === undefined) return settings
    settings.push([`${section}.${name.toLowerCase()}`, value])
  }
}

/** A configuration file with these settings. */
export function configText(settings: Iterable<Setting>): string {
  const lines = [...settings].map(([key, value]) => {
    const first = key.indexOf('.')
    const last = key.lastIndexOf('.')
    const subsection = first === last ? '' : ` "${escaped(key.slice(first + 1, last))}"`
    return `[${key.slice(0, first)}${subsection}]\n\t${key.slice(last + 1)} = "${escaped(value)}"\n`
  })
  return lines.join('')
}

function escaped(text: string): string {
  return text.replace(/[\\"]/g, '\\$&').replaceAll('\n', '\\n').replaceAll('\t', '\\t')
}

const HEADER = /\[([A-Za-z0-9.-]+)(?:[ \t]+"((?:[^"\\\n]|\\[^\n])*)")?\]/y

function sectionName([, name = '', subsection]: RegExpExecArray): string {
  const lower = name.toLowerCase()
  return subsection === undefined ? lower : `${lower}.${subsection.replace(/\\(.)/g, '$1')}`
}

/** A name without a value is a switch that is on. undefined: something else follows it. */
function bare(reader: Reader): string | undefined {
  return reader.atEnd || reader.match(/(?=[\n#;])/y) !== null ? 'true' : undefined
}

/** The end of the text counts as the end of a line, as it does for git. */
const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', b: '\b', '"': '"', '\\': '\\', '\n': '', '': '' }

function valueAt(reader: Reader): string | undefined {
  reader.skip(/[ \t]*/y)
  let value = ''
  /** Spaces outside of quotes count only between two parts of a value. */
  let spaces = ''
  let quoted = false
  for (;;) {
    const char = reader.take()
    if (char === '' || char === '\n') return quoted ? undefined : value
    if (!quoted && (char === '#' || char === ';')) {
      reader.skip(/[^\n]*/y)
      return value
    }
    if (!quoted && (char === ' ' || char === '\t')) {
      if (value !== '') spaces += char
      continue
    }
    value += spaces
    spaces = ''
    if (char === '"') quoted = !quoted
    else if (char !== '\\') value += char
    else {
      const meant = ESCAPES[reader.take()]
      if (meant === undefined) return undefined
      value += meant
    }
  }
}

class Reader {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  get atEnd(): boolean {
    return this.#at >= this.#text.length
  }

  take(): string {
    return this.#text.charAt(this.#at++)
  }

  /** The text that a sticky pattern matches here; '' if it does not. */
  skip(pattern: RegExp): string {
    return this.match(pattern)?.[0] ?? ''
  }

  match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at
    const found = pattern.exec(this.#text)
    if (found !== null) this.#at += found[0].length
    return found
  }
}
