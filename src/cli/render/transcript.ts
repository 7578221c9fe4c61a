import { bounded } from '../../domain/text/bounded.ts'
import { moment } from '../../domain/text/moment.ts'
import { plain, plainLine } from '../../domain/text/plain.ts'
import type { Transcript, Turn } from '../../views/transcript.ts'
import type { Line, Style } from './painted.ts'
import { wrapped } from './wrap.ts'

/** The most lines of a prompt and of a tool's output; the files have all of it. */
const MOST_PROMPT = 12
const MOST_OUTPUT = 10
/** The most characters of one turn that are wrapped for a terminal. */
const MOST_WRAPPED = 100_000

/** An attempt as a conversation, for a terminal of this width; without a width nothing is wrapped. */
export function transcriptLines(
  { task, run, turns }: Transcript,
  { now, width }: { now: number; width?: number },
): Line[] {
  const { coder, model, attempt } = run
  const who = plainLine(`${coder}${model === null ? '' : ` (${model})`}`)
  const head = `${task}, attempt ${attempt}, ${who}, ${moment(run.startedAt, now)}`
  const lines: Line[] = [[{ text: head, style: 'bold' }]]
  let speaker = ''
  for (const turn of turns) {
    const next = speakerOf(turn, who)
    if (next !== speaker) lines.push([], [{ text: `${next}:`, style: 'bold' }])
    speaker = next
    lines.push(...turnLines(turn, { task, attempt, width: width ?? Number.POSITIVE_INFINITY }))
  }
  return lines
}

function speakerOf(turn: Turn, who: string): string {
  return turn.kind === 'prompt' ? 'fleet' : who
}

interface Place {
  readonly task: string
  readonly attempt: number
  readonly width: number
}

interface Saying {
  readonly indent: string
  readonly style?: Style
  readonly most?: number
  /** Where the lines are that were left out. */
  readonly rest?: string
}

function turnLines(turn: Turn, { task, attempt, width }: Place): Line[] {
  const say = (text: string, { indent, style, most = Number.POSITIVE_INFINITY, rest = '' }: Saying): Line[] => {
    const whole = plain(text.trimEnd())
    const isCut = width !== Number.POSITIVE_INFINITY && whole.length > MOST_WRAPPED
    const all = wrapped(isCut ? bounded(whole, MOST_WRAPPED) : whole, Math.max(20, width - indent.length))
    const painted = (line: string): Line => (style === undefined ? [{ text: line }] : [{ text: line, style }])
    const shown = all.slice(0, most).map((line) => painted(line === '' ? '' : `${indent}${line}`))
    const left = all.length - shown.length
    const note = (what: string): Line => [{ text: `${indent}… ${what}`, style: 'dim' }]
    if (isCut) {
      const where = rest === '' ? `: fleet task ${task} output --attempt ${attempt}` : rest
      return [...shown, note(`the rest of ${whole.length} characters${where}`)]
    }
    return left === 0 ? shown : [...shown, note(`${left} more lines${rest}`)]
  }
  switch (turn.kind) {
    case 'prompt':
      return say(turn.text, {
        indent: '  ',
        style: 'dim',
        most: MOST_PROMPT,
        rest: `: fleet task ${task} prompt --attempt ${attempt}`,
      })
    case 'said':
      return say(turn.text, turn.subagent ? { indent: '    > ', style: 'dim' } : { indent: '  ' })
    case 'tool':
      return say(turn.detail === null ? turn.name : `${turn.name}: ${turn.detail}`, { indent: '  * ', style: 'bold' })
    case 'output':
      return say(turn.text === null || turn.text.trim() === '' ? '(no output)' : turn.text, {
        indent: '    ',
        style: turn.failed ? 'red' : 'dim',
        most: MOST_OUTPUT,
      })
    case 'trouble':
      return say(turn.text, { indent: '  ! ', style: 'yellow' })
    case 'ended': {
      if (turn.ok) return []
      return say(turn.text ? `the turn failed: ${turn.text}` : 'the turn failed', { indent: '  ! ', style: 'red' })
    }
  }
}
