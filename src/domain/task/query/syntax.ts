import { type Comparator, QueryMistake, queryWords, type Word } from './words.ts'

export type Expression =
  | { readonly kind: 'and' | 'or'; readonly left: Expression; readonly right: Expression }
  | { readonly kind: 'not'; readonly operand: Expression }
  | Comparison

export interface Comparison {
  readonly kind: 'comparison'
  /** Lower case, except after `metadata.`: metadata keys are case-sensitive. */
  readonly field: string
  readonly operator: Comparator
  readonly value: string
  /** The value was typed as a duration: `7d` means seven days ago. */
  readonly ago: boolean
}

/** NOT binds tightest, then AND, then OR. Throws QueryMistake if the text is not a query. */
export function parseQuery(text: string): Expression {
  const words = queryWords(text)
  if (words.length > LONGEST) throw new QueryMistake(`a query has at most ${LONGEST} words`)
  const reader = new Reader(words)
  if (reader.peek().kind === 'EOF') throw new QueryMistake('empty query')
  const expression = disjunction(reader)
  const { kind, text: rest, at } = reader.peek()
  if (kind !== 'EOF') {
    throw new QueryMistake(`unexpected token ${JSON.stringify(rest)} at position ${at} (expected end of query)`)
  }
  return expression
}

/** More than any person writes. A longer query could nest deeper than the stack. */
const LONGEST = 2000

class Reader {
  readonly #words: readonly Word[]
  #at = 0

  constructor(words: readonly Word[]) {
    this.#words = words
  }

  peek(): Word {
    return this.#words[this.#at] as Word
  }

  next(): Word {
    const word = this.peek()
    if (word.kind !== 'EOF') this.#at++
    return word
  }

  refuse(expected: string): QueryMistake {
    return new QueryMistake(`expected ${expected} at position ${this.peek().at}, got ${this.peek().kind}`)
  }
}

function disjunction(reader: Reader): Expression {
  let left = conjunction(reader)
  while (reader.peek().kind === 'OR') {
    reader.next()
    left = { kind: 'or', left, right: conjunction(reader) }
  }
  return left
}

function conjunction(reader: Reader): Expression {
  let left = negation(reader)
  while (reader.peek().kind === 'AND') {
    reader.next()
    left = { kind: 'and', left, right: negation(reader) }
  }
  return left
}

function negation(reader: Reader): Expression {
  if (reader.peek().kind === 'NOT') {
    reader.next()
    return { kind: 'not', operand: negation(reader) }
  }
  if (reader.peek().kind !== '(') return comparison(reader)
  reader.next()
  const inner = disjunction(reader)
  if (reader.peek().kind !== ')') throw reader.refuse("')'")
  reader.next()
  return inner
}

const COMPARATORS: readonly string[] = ['=', '!=', '<', '<=', '>', '>=']
const VALUES: readonly string[] = ['IDENT', 'STRING', 'NUMBER', 'DURATION']
const METADATA = 'metadata.'

function comparison(reader: Reader): Comparison {
  if (reader.peek().kind !== 'IDENT') throw reader.refuse('field name')
  const { text } = reader.next()
  const name = text.toLowerCase()
  const field = name.startsWith(METADATA) ? `${METADATA}${text.slice(METADATA.length)}` : name
  if (!COMPARATORS.includes(reader.peek().kind)) throw reader.refuse('comparison operator')
  const operator = reader.next().kind as Comparator
  if (!VALUES.includes(reader.peek().kind)) throw reader.refuse('value')
  const { kind, text: value } = reader.next()
  return { kind: 'comparison', field, operator, value, ago: kind === 'DURATION' }
}

/** The query as fleet parsed it, with every pair in parentheses. */
export function queryText(expression: Expression): string {
  switch (expression.kind) {
    case 'comparison':
      return `${expression.field}${expression.operator}${expression.value}`
    case 'not':
      return `NOT ${queryText(expression.operand)}`
    case 'and':
    case 'or':
      return `(${queryText(expression.left)} ${expression.kind.toUpperCase()} ${queryText(expression.right)})`
  }
}

export function comparisonsOf(expression: Expression): readonly Comparison[] {
  switch (expression.kind) {
    case 'comparison':
      return [expression]
    case 'not':
      return comparisonsOf(expression.operand)
    case 'and':
    case 'or':
      return [...comparisonsOf(expression.left), ...comparisonsOf(expression.right)]
  }
}
