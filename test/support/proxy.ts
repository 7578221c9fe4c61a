import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'

/** A proxy between a supervisor and its server that the test can interrupt. */
export class Wire implements AsyncDisposable {
  readonly #server: Server
  readonly #pairs = new Set<readonly [Socket, Socket]>()
  #fateful: RegExp | undefined
  #state: 'whole' | 'silent' | 'closed' = 'whole'

  private constructor(server: Server) {
    this.#server = server
  }

  static async to(port: number): Promise<Wire> {
    const server = createServer()
    const wire = new Wire(server)
    server.on('connection', (near) => wire.#join(near, port))
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    return wire
  }

  get port(): number {
    const address = this.#server.address()
    if (address === null || typeof address === 'string') throw new Error('no port')
    return address.port
  }

  /** Stops all traffic without closing connections, like a pulled cable. */
  silence(): void {
    this.#state = 'silent'
    for (const pair of this.#pairs) for (const end of pair) end.pause()
  }

  /** Cuts all connections, and new ones as soon as they are made. */
  cut(): void {
    this.#state = 'closed'
    for (const pair of this.#pairs) for (const end of pair) end.destroy()
  }

  /** Delivers the next matching request, then cuts the connection before its answer arrives. */
  tearAfter(words: RegExp): void {
    this.#fateful = words
  }

  mend(): void {
    this.#state = 'whole'
    for (const pair of this.#pairs) for (const end of pair) end.resume()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.cut()
    this.#server.close()
    await once(this.#server, 'close')
  }

  #join(near: Socket, port: number): void {
    if (this.#state === 'closed') return void near.destroy()
    const far = connect(port, '127.0.0.1')
    const pair = [near, far] as const
    this.#pairs.add(pair)
    const part = (): void => {
      this.#pairs.delete(pair)
      for (const end of pair) end.destroy()
    }
    near.on('data', (bytes) => {
      far.write(bytes)
      if (this.#fateful?.test(bytes.toString('latin1')) !== true) return
      this.#fateful = undefined
      far.removeAllListeners('data').once('data', part)
    })
    far.on('data', (bytes) => near.write(bytes))
    for (const end of pair) {
      end.on('error', part).on('close', part)
      if (this.#state === 'silent') end.pause()
    }
  }
}
