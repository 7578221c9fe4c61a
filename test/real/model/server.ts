import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { json as readJson } from 'node:stream/consumers'
import { anthropic } from './anthropic.ts'
import { chat } from './chat.ts'
import { Conversation, type Step } from './conversation.ts'
import { gemini } from './gemini.ts'
import { type Asked, type Body, json, type Language, type Reply } from './language.ts'
import { responses } from './responses.ts'
import { type Turn, USUAL } from './turns.ts'

/** A scripted model on loopback that speaks the real APIs. */
export interface Model extends AsyncDisposable {
  readonly url: string
  /** Sets the turns for the task with this title. No other prompt may contain the title. */
  script(title: string, turns: readonly Turn[]): Conversation
  /** Hosts that the CLIs tried to reach through it as a proxy. All were refused. */
  readonly strangers: readonly string[]
  /** Requests that were no task's turn: method and path. */
  readonly asides: readonly string[]
}

/** The model refuses this key. */
export const BAD_KEY = 'sk-expired'

const LANGUAGES: readonly Language[] = [anthropic, responses, chat, gemini]

export async function startModel(): Promise<Model> {
  const scripts = new Map<string, Conversation>()
  const strangers: string[] = []
  const asides: string[] = []
  const server = createServer((request, response) => {
    reply(request).then(
      (made) => made !== undefined && send(response, made),
      (error: unknown) => response.destroy(error as Error),
    )
  })
  // A proxy request for another host.
  server.on('connect', ({ url }: IncomingMessage, socket: Socket) => {
    strangers.push(url ?? '')
    socket.on('error', () => {})
    socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')

  async function reply(request: IncomingMessage): Promise<Reply | undefined> {
    const target = request.url ?? ''
    if (!target.startsWith('/')) {
      strangers.push(target)
      return json({ error: 'other hosts are not reachable from here' }, 502)
    }
    const { pathname: path } = new URL(target, 'http://model')
    const language = LANGUAGES.find((each) => each.speaks(path))
    if (language === undefined) {
      asides.push(`${request.method} ${path}`)
      return json({})
    }
    const body = ((await readJson(request)) ?? {}) as unknown as Body
    if (keysOf(request).includes(BAD_KEY)) return language.refusal({ why: 'login' })
    const told = language.told(body)
    const talk = language.isTurn(body) ? [...scripts].find(([title]) => told.includes(title))?.[1] : undefined
    if (talk !== undefined) return replyTo(await talk.take(told), language, { path, body })
    asides.push(`${request.method} ${path}`)
    return replyTo({ does: 'say', text: language.aside(body), usage: {} }, language, { path, body })
  }

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    script(title, turns) {
      const talk = new Conversation(turns)
      scripts.set(title, talk)
      return talk
    },
    strangers,
    asides,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** undefined: never replies. */
function replyTo(step: Step, language: Language, asked: Asked): Reply | undefined {
  const id = randomUUID().replaceAll('-', '')
  switch (step.does) {
    case 'say':
      return language.answer({ id, says: step.text, usage: step.usage }, asked)
    case 'call':
      return language.answer({ id, says: step.call, usage: step.usage }, asked)
    case 'break-off':
      return half(language.answer({ id, says: step.text, usage: USUAL }, asked))
    case 'limit':
      return language.refusal({ why: 'usage-limit', resetsAt: step.resetsAt })
    case 'overload':
      return language.refusal({ why: 'overload' })
    case 'hang':
      return undefined
  }
}

function half(reply: Reply): Reply {
  return { ...reply, pieces: reply.pieces.slice(0, Math.ceil(reply.pieces.length / 2)), cut: true }
}

function send(response: ServerResponse, { status, headers, pieces, cut = false }: Reply): void {
  response.writeHead(status, headers)
  if (cut) response.write(pieces.join(''), () => response.destroy())
  else response.end(pieces.join(''))
}

/** From every header in which a CLI may send its key. */
function keysOf({ headers }: IncomingMessage): readonly unknown[] {
  return [headers['x-api-key'], headers['x-goog-api-key'], headers.authorization?.replace(/^Bearer /, '')]
}
