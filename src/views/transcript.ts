import { join } from 'node:path'
import type { CoderEvent } from '../domain/run/event.ts'
import type { Run } from '../domain/run/run.ts'
import { LineSplitter } from '../domain/text/lines.ts'
import { mapStrings } from '../domain/text/redact.ts'
import { AppError } from '../errors.ts'
import { readAgentText } from '../platform/files/agent-file.ts'
import { openReading } from '../platform/files/follow.ts'
import type { Home } from '../platform/files/home.ts'
import type { Coder, ToolOutput } from '../ports/coder.ts'
import { coderOfAttempt } from './attempt-coder.ts'
import { redaction } from './redaction.ts'
import { locateTaskFile, missingFile } from './task-file.ts'

/** One attempt as a conversation, read from the agent's own output. */
export interface Transcript {
  readonly task: string
  readonly run: Run
  readonly turns: readonly Turn[]
}

export type Turn =
  /** The prompt that fleet gave the agent. */
  | { readonly kind: 'prompt'; readonly text: string }
  | { readonly kind: 'said'; readonly text: string; readonly subagent: boolean }
  | { readonly kind: 'tool'; readonly id: string; readonly name: string; readonly detail: string | null }
  /** `text` is null where the coder does not tell the output. */
  | { readonly kind: 'output'; readonly id: string; readonly failed: boolean; readonly text: string | null }
  /** A trouble, a denial, a retry: why the agent did not get on. */
  | { readonly kind: 'trouble'; readonly text: string }
  | { readonly kind: 'ended'; readonly ok: boolean; readonly text: string | null }

export interface TranscriptWish {
  readonly task: string
  /** undefined: the newest. */
  readonly attempt: number | undefined
  readonly env: NodeJS.ProcessEnv
}

/** An agent could make its files any size, and a transcript is held in memory. */
const MOST_PROMPT = 1 << 24
const MOST_OUTPUT = 1 << 28

export async function transcript(home: Home, { task: text, attempt, env }: TranscriptWish): Promise<Transcript> {
  const stdout = await locateTaskFile(home, { task: text, name: 'output', attempt })
  const path = stdout.path()
  const number = Number(/(\d+)\/[^/]*$/.exec(path)?.[1])
  const made = await coderOfAttempt(home, { task: stdout.task, attempt: number, env })
  if (made === undefined) {
    throw new AppError('not-found', `attempt ${number} of ${stdout.task} was not made on this machine`, {
      hint: 'fleet hosts shows the others',
    })
  }
  const turns = new Turns(made.coder, await redaction(home, env))
  const prompt = readAgentText(join(path, '..', 'prompt.md'), MOST_PROMPT)
  if (prompt !== undefined) turns.add({ kind: 'prompt', text: prompt })
  using file = openReading(path)
  if (file === undefined) throw missingFile(stdout)
  const lines = new LineSplitter()
  const take = (line: string | undefined): void => turns.read(line ?? '')
  const left = file.drain((bytes) => lines.feed(bytes as Buffer, take), MOST_OUTPUT)
  lines.flush(take)
  if (left > 0) turns.add({ kind: 'trouble', text: `the last ${left} bytes of its output are left out` })
  return { task: stdout.task, run: made.run, turns: turns.all }
}

/** Makes turns of the lines of a coder's output. No string of a turn shows a secret. */
export class Turns {
  readonly #coder: Pick<Coder, 'parse' | 'outputs' | 'textInPieces' | 'traits'>
  readonly #clean: (text: string) => string
  readonly #turns: Turn[] = []
  readonly #open = new Set<string>()

  constructor(coder: Pick<Coder, 'parse' | 'outputs' | 'textInPieces' | 'traits'>, clean: (text: string) => string) {
    this.#coder = coder
    this.#clean = clean
  }

  /** Masked here, when all pieces of a text are joined: a key may be split between two of them. */
  get all(): readonly Turn[] {
    return this.#turns.map((turn) => mapStrings(turn, this.#clean))
  }

  add(turn: Turn): void {
    const last = this.#turns.at(-1)
    const joint = this.#joint()
    if (joint !== undefined && turn.kind === 'said' && last?.kind === 'said' && last.subagent === turn.subagent) {
      this.#turns[this.#turns.length - 1] = { ...last, text: `${last.text}${joint}${turn.text}` }
    } else this.#turns.push(turn)
  }

  read(line: string): void {
    if (line === '') return
    const outputs = this.#coder.outputs?.(line) ?? []
    for (const event of this.#coder.parse(line)) {
      const turn = this.#turnOf(event, outputs)
      if (turn !== undefined) this.add(turn)
    }
  }

  /** Between two texts that belong together; undefined: each text is a whole. */
  #joint(): string | undefined {
    if (this.#coder.traits.stream === 'text') return '\n'
    return this.#coder.textInPieces === true ? '' : undefined
  }

  #turnOf(event: CoderEvent, outputs: readonly ToolOutput[]): Turn | undefined {
    switch (event.type) {
      case 'text':
        return { kind: 'said', text: event.text, subagent: event.subagent === true }
      case 'tool-started':
        // Some coders report a call several times.
        if (this.#open.has(event.id)) return undefined
        this.#open.add(event.id)
        return { kind: 'tool', id: event.id, name: event.name, detail: event.detail ?? null }
      case 'tool-ended': {
        const text = outputs.find(({ id }) => id === event.id)?.text ?? event.text ?? null
        return { kind: 'output', id: event.id, failed: event.failed, text }
      }
      case 'trouble':
        return { kind: 'trouble', text: event.trouble.text }
      case 'retrying':
        return { kind: 'trouble', text: `it tries again: ${event.why.text}` }
      case 'denied':
        return { kind: 'trouble', text: `denied: ${event.tool}${event.text === undefined ? '' : `, ${event.text}`}` }
      case 'compacted':
        return { kind: 'trouble', text: 'its context was full, and it went on from a summary' }
      case 'result':
        return { kind: 'ended', ok: event.ok, text: event.text ?? null }
      default:
        return undefined
    }
  }
}
