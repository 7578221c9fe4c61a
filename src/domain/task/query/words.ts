/** A token of bd's query language (`status=open AND priority<2`): name, value, comparison, AND, OR, NOT or parenthesis. */
export interface Word {
  readonly kind: WordKind
  readonly text: string
  /** Its position in the query, for messages. */
  readonly at: number
}

export type WordKind = 'IDENT' | 'STRING' | 'NUMBER' | 'DURATION' | 'AND' | 'OR' | 'NOT' | 'EOF' | Sign
export type Sign = Comparator | '(' | ')' | ','
export type Comparator = '=' | '!=' | '<' | '<=' | '>' | '>='

export class QueryMistake extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'QueryMistake'
  }
}

/** Letters of every script. Colons and slashes too, so that `label=team:web` and `metadata.jira/sprint` need no quotes. */
const NAME = /[\p{L}_][\p{L}\p{Nd}_.:/-]*/uy
/** `1-alpha` and `2026-05-01` are names although they begin with a digit. */
const NAME_WITH_DIGIT = /\p{Nd}[\p{L}\p{Nd}_.:/-]*/uy
const NUMBER = /[+-]?\p{Nd}+/uy
const DURATION = /[+-]?\p{Nd}+[hdwmy](?![\p{L}\p{Nd}_.:/-])/iuy
const SIGN = /!=|<=|>=|[=<>(),]/y
const SPACE = /\s*/y

export function queryWords(text: string): Word[] {
  const words: Word[] = []
  let at = 0
  const take = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at
    return pattern.exec(text)?.[0]
  }
  for (;;) {
    at += take(SPACE)?.length ?? 0
    if (at >= text.length) return [...words, { kind: 'EOF', text: '', at }]
    const char = text[at] as string
    if (char === '"' || char === "'") {
      const { value, end } = quoted(text, at)
      words.push({ kind: 'STRING', text: value, at })
      at = end
      continue
    }
    const word = wordAt(take, at) ?? refuse(text, at)
    words.push(word)
    at += word.text.length
  }
}

function wordAt(take: (pattern: RegExp) => string | undefined, at: number): Word | undefined {
  const sign = take(SIGN)
  if (sign !== undefined) return { kind: sign as Sign, text: sign, at }
  const duration = take(DURATION)
  if (duration !== undefined) return { kind: 'DURATION', text: duration, at }
  const number = take(NUMBER)
  const name = take(NAME_WITH_DIGIT) ?? take(NAME)
  if (name !== undefined && name !== number) return { kind: keyword(name) ?? 'IDENT', text: name, at }
  return number === undefined ? undefined : { kind: 'NUMBER', text: number, at }
}

function keyword(name: string): 'AND' | 'OR' | 'NOT' | undefined {
  const upper = name.toUpperCase()
  return upper === 'AND' || upper === 'OR' || upper === 'NOT' ? upper : undefined
}

const ESCAPED: Readonly<Record<string, string>> = { n: '\n', t: '\t' }

function quoted(text: string, start: number): { value: string; end: number } {
  let value = ''
  for (let i = start + 1; i < text.length; i++) {
    const char = text[i] as string
    if (char === text[start]) return { value, end: i + 1 }
    if (char !== '\\') {
      value += char
      continue
    }
    const next = text[++i]
    if (next === undefined) throw new QueryMistake(`unterminated escape sequence at position ${i - 1}`)
    value += ESCAPED[next] ?? next
  }
  throw new QueryMistake(`unterminated string starting at position ${start}`)
}

function refuse(text: string, at: number): never {
  const [char = ''] = text.slice(at)
  if (char === '!') {
    throw new QueryMistake(`unexpected character '!' at position ${at} (did you mean '!=' or 'NOT'?)`)
  }
  if (char === '-' || char === '+') throw new QueryMistake(`expected digit at position ${at + 1}`)
  throw new QueryMistake(`unexpected character '${char}' at position ${at}`)
}
