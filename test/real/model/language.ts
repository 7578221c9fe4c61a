import type { Usage } from '../../../src/domain/run/event.ts'
import type { ToolCall } from './turns.ts'

/** The format of one API: its requests and answers. Every member is pure. */
export interface Language {
  /** Whether requests to this path use this API. */
  speaks(path: string): boolean
  /** Whether the request is a turn of the agent. A side request (a title, a guess which model to take) offers no tools. */
  isTurn(body: Body): boolean
  /** All text in the request. */
  told(body: Body): string
  answer(answer: Answer, asked: Asked): Reply
  /** The answer to a side request, which uses no tokens. */
  aside(body: Body): string
  refusal(refusal: Refusal): Reply
}

export type Body = Readonly<Record<string, unknown>>

export interface Asked {
  readonly path: string
  readonly body: Body
}

export interface Answer {
  /** Unique. */
  readonly id: string
  readonly says: string | ToolCall
  readonly usage: Usage
}

export type Refusal =
  | { readonly why: 'usage-limit'; readonly resetsAt: number }
  | { readonly why: 'overload' }
  | { readonly why: 'login' }

export interface Reply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** In pieces, so that it can be cut between them. */
  readonly pieces: readonly string[]
  /** Cuts the connection after the pieces, so that the answer is incomplete. */
  readonly cut?: boolean
}

export function json(value: unknown, status = 200, headers: Readonly<Record<string, string>> = {}): Reply {
  return { status, headers: { 'content-type': 'application/json', ...headers }, pieces: [JSON.stringify(value)] }
}

/** Server-sent events, named if the value has a `type`. */
export function events(values: readonly Readonly<Record<string, unknown>>[], end = ''): Reply {
  const pieces = values.map((value) => {
    const name = typeof value['type'] === 'string' ? `event: ${value['type']}\n` : ''
    return `${name}data: ${JSON.stringify(value)}\n\n`
  })
  return { status: 200, headers: { 'content-type': 'text/event-stream' }, pieces: [...pieces, end] }
}

/** Every string in the value, one per line: what a model reads, without the structure. */
export function textsOf(value: unknown): string {
  if (typeof value === 'string') return value
  if (typeof value !== 'object' || value === null) return ''
  return Object.values(value)
    .map(textsOf)
    .filter((text) => text !== '')
    .join('\n')
}
