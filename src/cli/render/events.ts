import { isObject } from '../../domain/task/settings.ts'
import { bounded } from '../../domain/text/bounded.ts'
import { moment } from '../../domain/text/moment.ts'
import { plain, plainLine } from '../../domain/text/plain.ts'
import type { EndedCall } from '../../views/tool-outputs.ts'
import type { Line, Span, Style } from './painted.ts'
import { wrapped } from './wrap.ts'

export interface EventsReader {
  readonly now: number
  readonly width: number
  /** The output of a call of a tool, where it can be read. */
  output(call: EndedCall): string | undefined
}

/**
 * A line of events.jsonl for people: time, attempt, and what happened: texts, tools with their input and result, troubles.
 * Counts and notices give no line; `--raw` has them. A line of another form is shown as it is.
 */
export function eventLines(text: string, { now, width, output }: EventsReader): Line[] {
  const event = parsed(text)
  if (event === undefined) return [[{ text }]]
  const told = SHOWN[String(event['kind'])]?.(event, output)
  if (told === undefined) return []
  const at = Date.parse(String(event['ts']))
  const attempt = event['attempt']
  const when = [Number.isNaN(at) ? [] : moment(at, now), typeof attempt === 'number' ? `#${attempt}` : []].flat()
  const head = when.length === 0 ? '' : `${when.join(' ')}  `
  const mark = told.mark ?? ''
  const indent = head.length + mark.length
  const lines = wrapped(plain(told.text), Math.max(20, width - indent)).slice(0, told.most ?? MOST)
  return lines.map((line, i) => [
    { text: i === 0 ? head : ' '.repeat(head.length), style: 'dim' },
    ...(mark === '' ? [] : [span(i === 0 ? mark : ' '.repeat(mark.length), told.style)]),
    span(line, mark === '' ? told.style : told.textStyle),
  ])
}

function span(text: string, style: Style | undefined): Span {
  return style === undefined ? { text } : { text, style }
}

/** The most lines of a text, and of the output of a tool. */
const MOST = 12
const MOST_OUTPUT = 3

interface Told {
  readonly text: string
  readonly mark?: string
  readonly style?: Style
  readonly textStyle?: Style
  readonly most?: number
}

type Fields = Readonly<Record<string, unknown>>

/** A kind that is not here is a count or a notice. */
const SHOWN: Readonly<Record<string, (event: Fields, output: EventsReader['output']) => Told | undefined>> = {
  session: ({ session, model, version, payer }) => {
    const about = [word(model), word(version), word(payer) === '' ? '' : `payer ${word(payer)}`].filter(
      (each) => each !== '',
    )
    // Some coders repeat the bare session before every step.
    return about.length === 0 ? undefined : { text: `session ${word(session)}, ${about.join(', ')}`, style: 'dim' }
  },
  text: ({ text, subagent }) => ({
    text: bounded(word(text).trim(), 4000),
    ...(subagent === true ? { mark: '> ', style: 'dim' as const, textStyle: 'dim' as const } : {}),
  }),
  'tool-started': ({ tool, detail }) => ({
    text: plainLine(word(detail)) || ' ',
    mark: `${plainLine(word(tool))}  `,
    style: 'bold',
  }),
  'tool-ended': (event, output) => {
    const { attempt, at, id, failed, text } = event
    const printed =
      typeof attempt === 'number' && typeof at === 'number' ? output({ attempt, at, id: word(id) }) : undefined
    const said = (printed ?? word(text)).trim()
    const mark = failed === true ? '  failed: ' : '  = '
    return {
      text: said === '' ? '(no output)' : bounded(said, 2000),
      mark,
      style: failed === true ? 'red' : 'dim',
      textStyle: 'dim',
      most: MOST_OUTPUT,
    }
  },
  limit: ({ status, name, used_pct }) =>
    status === 'allowed'
      ? undefined
      : {
          text: `limit ${word(name)}: ${word(status)}${typeof used_pct === 'number' ? `, ${used_pct} %` : ''}`,
          style: 'yellow',
        },
  retrying: ({ why }) => ({ text: `it tries again: ${word(isObject(why) ? why['text'] : why)}`, style: 'yellow' }),
  denied: ({ tool, text }) => ({
    text: `denied: ${word(tool)}${word(text) === '' ? '' : `, ${word(text)}`}`,
    style: 'yellow',
  }),
  trouble: ({ trouble }) => ({ text: word(isObject(trouble) ? trouble['text'] : trouble), style: 'red' }),
  compacted: () => ({ text: 'its context was full, and it went on from a summary', style: 'yellow' }),
  result: ({ ok, text }) =>
    ok === true
      ? { text: word(text) === '' ? 'end of the turn' : `end of the turn: ${word(text)}`, style: 'green' }
      : { text: `the turn failed: ${word(text) || 'no reason given'}`, style: 'red' },
}

function word(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function parsed(text: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) && typeof value['kind'] === 'string' ? value : undefined
  } catch {
    return undefined
  }
}
