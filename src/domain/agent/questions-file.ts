/**
 * Q&A.md: questions and answers as people and agents write them, `## Q: <time>` and `## A: <time>`, newest last.
 * Fleet writes the same form, and reads whatever comes near it.
 */
export interface Block {
  readonly kind: 'Q' | 'A'
  /** As it stands in the heading; '' where it has no time. */
  readonly at: string
  readonly text: string
  /** Written by fleet, not by hand. */
  readonly writtenByFleet: boolean
}

export interface AskedText {
  readonly text: string
  readonly options: readonly string[]
  readonly suggestion: string | null
  readonly at: number
}

const HEADING = /^ {0,3}#{1,6}[ \t]*(Q|A|Question|Answer)[ \t]*:(.*)$/i
const TIME = /^\d{4}-\d{2}-\d{2}(?:[ T]\d{2}:\d{2}.*)?$/
/** Not seen where the file is rendered. */
const MARK = '<!-- fleet -->'

export function blocksOf(content: string): Block[] {
  const blocks: { kind: 'Q' | 'A'; at: string; lines: string[]; writtenByFleet: boolean }[] = []
  for (const line of content.split(/\r?\n/)) {
    const heading = HEADING.exec(line)
    if (heading === null) {
      const block = blocks.at(-1)
      if (line === MARK && block !== undefined) block.writtenByFleet = true
      else block?.lines.push(shown(line))
      continue
    }
    const rest = (heading[2] ?? '').trim()
    const kind = heading[1]?.[0]?.toUpperCase() === 'Q' ? 'Q' : 'A'
    // Somebody wrote the text itself behind the colon.
    const start = TIME.test(rest) ? { at: rest, lines: [] } : { at: '', lines: [rest] }
    blocks.push({ kind, ...start, writtenByFleet: false })
  }
  return blocks.map(({ lines, ...block }) => ({ ...block, text: lines.join('\n').trim() }))
}

/** What was answered below the last question; undefined: nothing yet. */
export function answerBelow(content: string): string | undefined {
  const blocks = blocksOf(content)
  const last = blocks.findLastIndex((block) => block.kind === 'Q')
  if (last === -1) return undefined
  const texts = blocks.slice(last + 1).map((block) => block.text)
  return texts.join('\n\n').trim() || undefined
}

/** What to add for a question; '' where it stands at the end already: in the agent's own words, or from before a crash. */
export function questionBlock(content: string, asked: AskedText): string {
  const options = asked.options.map((option) => `- ${option}`)
  const suggestion = asked.suggestion === null ? [] : [`Suggested: ${asked.suggestion}`]
  const text = [asked.text, ...options, ...suggestion].join('\n').trim()
  const last = blocksOf(content).at(-1)
  if (last?.kind === 'Q' && (!last.writtenByFleet || last.text === text)) return ''
  return block(content, { kind: 'Q', at: asked.at, text })
}

export function answerBlock(content: string, { text, at }: { text: string; at: number }): string {
  return block(content, { kind: 'A', at, text })
}

function block(content: string, { kind, at, text }: { kind: 'Q' | 'A'; at: number; text: string }): string {
  const before = content === '' ? '' : content.endsWith('\n') ? '\n' : '\n\n'
  return `${before}## ${kind}: ${localMinute(new Date(at))}\n${MARK}\n${text.trim().split(/\r?\n/).map(harmless).join('\n')}\n`
}

/** A line that looks like a heading would be taken for one: an agent could answer its own question. */
function harmless(line: string): string {
  return HEADING.test(line) || ESCAPED.test(line) || line === MARK ? `\\${line}` : line
}

const ESCAPED = /^\\+(?: {0,3}#|<!--)/

function shown(line: string): string {
  return ESCAPED.test(line) ? line.slice(1) : line
}

function localMinute(at: Date): string {
  const two = (n: number) => String(n).padStart(2, '0')
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())} ${two(at.getHours())}:${two(at.getMinutes())}`
}
