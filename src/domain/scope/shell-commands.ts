/** A word of a shell line. `isSure` is false if its value depends on something that only the shell knows. */
export interface Word {
  readonly text: string
  readonly isSure: boolean
}

/** One command of a line, with the files that its output goes to. */
export interface ShellCommand {
  readonly words: readonly Word[]
  readonly writes: readonly Word[]
  /** How many parentheses it stands in: a `cd` there holds for the rest of them alone. */
  readonly depth: number
}

/** More than that is no line that anybody reads; the rest is not judged. */
const LONGEST = 100_000
const DEEPEST = 5

/**
 * The commands of a shell line, those of `$(…)` and backticks too. This is no shell: functions, aliases and arithmetic are
 * not known, so it finds the commands that an agent writes down, and not those that it hides. Total: any text gives a list.
 */
export function shellCommands(line: string, variables: Readonly<Record<string, string>>, level = 0): ShellCommand[] {
  if (level > DEEPEST) return []
  return new Reader(line.slice(0, LONGEST), { ...variables }, level).commands()
}

class Reader {
  readonly #line: string
  readonly #variables: Record<string, string>
  readonly #level: number
  readonly #found: ShellCommand[] = []
  #at = 0
  #depth = 0
  #words: Word[] = []
  #writes: Word[] = []
  /** The ends of texts that begin at the next line. */
  #texts: { readonly end: string; readonly indented: boolean }[] = []

  constructor(line: string, variables: Record<string, string>, level: number) {
    this.#line = line
    this.#variables = variables
    this.#level = level
  }

  commands(): ShellCommand[] {
    while (this.#at < this.#line.length) this.#step()
    this.#endCommand()
    return this.#found
  }

  #step(): void {
    const char = this.#line[this.#at] as string
    if (char === '\n') {
      this.#at++
      this.#endCommand()
      this.#skipTexts()
    } else if (/\s/.test(char)) this.#at++
    else if (char === '#') this.#at = endOr(this.#line.indexOf('\n', this.#at), this.#line)
    else if (char === '\\' && this.#line[this.#at + 1] === '\n') this.#at += 2
    else if (this.#redirection()) return
    else if (';&|()'.includes(char)) {
      this.#at++
      this.#endCommand()
      if (char === '(') this.#depth++
      if (char === ')') this.#depth = Math.max(0, this.#depth - 1)
    } else this.#words.push(this.#word())
  }

  #endCommand(): void {
    const [words, writes] = [this.#words, this.#writes]
    this.#words = []
    this.#writes = []
    if (words.length === 0 && writes.length === 0) return
    const sets = words.map(({ text }) => ASSIGNMENT.exec(text))
    // Alone, an assignment holds for what follows.
    if (sets.length > 0 && sets.every((set) => set !== null)) {
      for (const [i, set] of sets.entries()) {
        const [, name = '', value = ''] = set ?? []
        if (words[i]?.isSure) this.#variables[name] = value
        else delete this.#variables[name]
      }
    }
    this.#found.push({ words, writes, depth: this.#depth })
  }

  /** `2>&1` names no file. */
  #redirection(): boolean {
    const found = /(?:\d*|&)(>>|>\||>&|>|<<<|<<-?|<&|<>|<)/y
    found.lastIndex = this.#at
    const [whole, sign = ''] = found.exec(this.#line) ?? []
    if (whole === undefined) return false
    this.#at += whole.length
    // `>(…)` and `<(…)` are commands.
    if (this.#line[this.#at] === '(') return true
    this.#skipBlanks()
    if (this.#at >= this.#line.length || this.#line[this.#at] === '\n') return true
    const target = this.#word()
    if (sign.startsWith('<<') && sign !== '<<<') this.#texts.push({ end: target.text, indented: sign === '<<-' })
    else if (sign.startsWith('>') || sign === '<>') {
      if (!(sign === '>&' && /^(\d+|-)$/.test(target.text))) this.#writes.push(target)
    }
    return true
  }

  #skipBlanks(): void {
    while (/[ \t]/.test(this.#line[this.#at] ?? '')) this.#at++
  }

  #skipTexts(): void {
    for (const { end, indented } of this.#texts.splice(0)) {
      for (;;) {
        if (this.#at >= this.#line.length) return
        const until = endOr(this.#line.indexOf('\n', this.#at), this.#line)
        const text = this.#line.slice(this.#at, until)
        this.#at = until + 1
        if ((indented ? text.replace(/^\t+/, '') : text) === end) break
      }
    }
  }

  #word(): Word {
    const begun = this.#at
    let text = ''
    let isSure = true
    while (this.#at < this.#line.length) {
      const char = this.#line[this.#at] as string
      if (/[\s;&|()<>]/.test(char)) break
      if (char === "'") {
        const end = endOr(this.#line.indexOf("'", this.#at + 1), this.#line)
        text += this.#line.slice(this.#at + 1, end)
        this.#at = end + 1
      } else if (char === '"') {
        const inner = this.#quoted()
        text += inner.text
        isSure &&= inner.isSure
      } else if (char === '\\') {
        text += this.#line[this.#at + 1] ?? ''
        this.#at += 2
      } else if (char === '$' || char === '`') {
        const inner = this.#expansion()
        text += inner.text
        isSure &&= inner.isSure
      } else if (char === '~' && text === '' && /[\s/;&|)]|$/.test(this.#line[this.#at + 1] ?? '')) {
        text += this.#variables['HOME'] ?? '~'
        this.#at++
      } else {
        text += char
        this.#at++
      }
    }
    // A sign that no rule takes must not hold up the reader.
    if (this.#at === begun) this.#at++
    return { text, isSure }
  }

  #quoted(): Word {
    this.#at++
    let text = ''
    let isSure = true
    while (this.#at < this.#line.length) {
      const char = this.#line[this.#at] as string
      if (char === '"') {
        this.#at++
        break
      }
      if (char === '\\' && /["$`\\\n]/.test(this.#line[this.#at + 1] ?? '')) {
        text += this.#line[this.#at + 1] ?? ''
        this.#at += 2
      } else if (char === '$' || char === '`') {
        const inner = this.#expansion()
        text += inner.text
        isSure &&= inner.isSure
      } else {
        text += char
        this.#at++
      }
    }
    return { text, isSure }
  }

  /** A variable that is known stands for its value; everything else for something that nobody can tell. */
  #expansion(): Word {
    if (this.#line[this.#at] === '`') {
      const end = endOr(this.#line.indexOf('`', this.#at + 1), this.#line)
      this.#inner(this.#line.slice(this.#at + 1, end))
      this.#at = end + 1
      return { text: '', isSure: false }
    }
    if (this.#line[this.#at + 1] === '(') {
      const end = closing(this.#line, this.#at + 1)
      this.#inner(this.#line.slice(this.#at + 2, end))
      this.#at = end + 1
      return { text: '', isSure: false }
    }
    const found = /\$(?:([A-Za-z_]\w*)|\{([A-Za-z_]\w*)\}|\{[^}]*\}|.|$)/sy
    found.lastIndex = this.#at
    const [whole = '$', plain, braced] = found.exec(this.#line) ?? []
    this.#at += whole.length
    const value = this.#variables[plain ?? braced ?? '']
    return value === undefined ? { text: '', isSure: false } : { text: value, isSure: true }
  }

  #inner(line: string): void {
    this.#found.push(
      ...shellCommands(line, this.#variables, this.#level + 1).map((each) => ({
        ...each,
        depth: this.#depth + 1 + each.depth,
      })),
    )
  }
}

export const ASSIGNMENT = /^([A-Za-z_]\w*)=(.*)$/s

function endOr(at: number, line: string): number {
  return at === -1 ? line.length : at
}

/** The parenthesis that closes the one at `open`; quotes hide others. */
function closing(line: string, open: number): number {
  let depth = 0
  let quote = ''
  for (let at = open; at < line.length; at++) {
    const char = line[at] as string
    if (char === '\\' && quote !== "'") at++
    else if (quote !== '') {
      if (char === quote) quote = ''
    } else if (char === "'" || char === '"') quote = char
    else if (char === '(') depth++
    else if (char === ')' && --depth === 0) return at
  }
  return line.length
}
