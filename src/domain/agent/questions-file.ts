/**
 * Q&A.md: questions and answers as people and agents write them, `## Q: <time>` and `## A: <time>`, newest last.
 * Fleet writes exactly this form and reads it leniently.
 */
export interface Block {
  readonly kind: 'Q' | 'A'
  /** The time as written in the heading; '' if there is none. */
  readonly at: string
  readonly text: string
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
/** Marks fleet's own blocks; invisible in rendered Markdown. */
const MARK = '<!-- fleet -->'

export function blocksOf(content: string): Block[] {
  const blocks: { kind: 'Q' | 'A'; at: string; lines: string[]; writtenByFleet: boolean }[] = []
  for (const line of content.split(/\r?\n/)) {
    const heading = HEADING.exec(line)
    if (heading === null) {
      const block = blocks.at(-1)
      if (line === MARK && block !== undefined) block.writtenByFleet = true
      else block?.lines.push(unescaped(line))
      continue
    }
    const rest = (heading[2] ?? '').trim()
    const kind = heading[1]?.[0]?.toUpperCase() === 'Q' ? 'Q' : 'A'
    // People sometimes write the text directly after the colon.
    const start = TIME.test(rest) ? { at: rest, lines: [] } : { at: '', lines: [rest] }
    blocks.push({ kind, ...start, writtenByFleet: false })
  }
  return blocks.map(({ lines, ...block }) => ({ ...block, text: lines.join('\n').trim() }))
}

/** The answer below the last question; undefined if there is none yet. */
export function answerBelow(content: string): string | undefined {
  const blocks = blocksOf(content)
  const last = blocks.findLastIndex((block) => block.kind === 'Q')
  if (last === -1) return undefined
  const texts = blocks.slice(last + 1).map((block) => block.text)
  return texts.join('\n\n').trim() || undefined
}

/**
 * The text to append for a question. '' if the file already ends with a question: one the agent wrote itself, or the same
 * one written before a crash.
 */
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
  return `${before}## ${kind}: ${localMinute(new Date(at))}\n${MARK}\n${text.trim().split(/\r?\n/).map(escaped).join('\n')}\n`
}

/** Escapes lines that would parse as a heading: otherwise an agent could answer its own question. */
function escaped(line: string): string {
  return HEADING.test(line) || ESCAPED.test(line) || line === MARK ? `\\${line}` : line
}

const ESCAPED = /^\\+(?: {0,3}#|<!--)/

function unescaped(line: string): string {
  return ESCAPED.test(line) ? line.slice(1) : line
}

function localMinute(at: Date): string {
  const two = (n: number) => String(n).padStart(2, '0')
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())} ${two(at.getHours())}:${two(at.getMinutes())}`
}
