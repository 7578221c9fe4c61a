import { moment } from '../../domain/text/moment.ts'
import { plain, plainLine } from '../../domain/text/plain.ts'
import type { Transcript, Turn } from '../../views/transcript.ts'
import type { Line, Style } from './painted.ts'
import { wrapped } from './wrap.ts'

/** The most lines of a prompt and of a tool's output; the files have all of it. */
const MOST_PROMPT = 12
const MOST_OUTPUT = 10

/** An attempt as a conversation, for a terminal of this width; without a width nothing is wrapped. */
export function transcriptLines({ task, run, turns }: Transcript, { now, width }: { now: number; width?: number }): Line[] {
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

function turnLines(turn: Turn, { task, attempt, width }: Place): Line[] {
  const say = (text: string, { indent, style, most }: { indent: string; style?: Style; most?: number }): Line[] => {
    const all = wrapped(plain(text.trimEnd()), Math.max(20, width - indent.length))
    return all.slice(0, most).map((line) => {
      const shown = line === '' ? '' : `${indent}${line}`
      return style === undefined ? [{ text: shown }] : [{ text: shown, style }]
    })
  }
  const cutAt = (text: string, most: number): number => wrapped(plain(text.trimEnd()), Math.max(20, width - 4)).length - most
  switch (turn.kind) {
    case 'prompt': {
      const left = cutAt(turn.text, MOST_PROMPT)
      const more = `  … ${left} more lines: fleet task ${task} prompt --attempt ${attempt}`
      return [
        ...say(turn.text, { indent: '  ', style: 'dim', most: MOST_PROMPT }),
        ...(left > 0 ? [[{ text: more, style: 'dim' as const }]] : []),
      ]
    }
    case 'said':
      return say(turn.text, turn.subagent ? { indent: '    > ', style: 'dim' } : { indent: '  ' })
    case 'tool':
      return say(turn.detail === null ? turn.name : `${turn.name}: ${turn.detail}`, { indent: '  * ', style: 'bold', most: 3 })
    case 'output': {
      const text = turn.text === null || turn.text.trim() === '' ? '(no output)' : turn.text
      const left = cutAt(text, MOST_OUTPUT)
      return [
        ...say(text, { indent: '    ', style: turn.failed ? 'red' : 'dim', most: MOST_OUTPUT }),
        ...(left > 0 ? [[{ text: `    … ${left} more lines`, style: 'dim' as const }]] : []),
      ]
    }
    case 'trouble':
      return say(turn.text, { indent: '  ! ', style: 'yellow' })
    case 'ended': {
      const text = turn.text ?? ''
      return turn.ok ? [] : say(text === '' ? 'the turn failed' : `the turn failed: ${text}`, { indent: '  ! ', style: 'red' })
    }
  }
}
