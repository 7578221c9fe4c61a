import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'

/** A proxy between a supervisor and its server that the test can interrupt. */
export class Wire implements AsyncDisposable {
  readonly #server: Server
  readonly #pairs = new Set<readonly [Socket, Socket]>()
  #fateful: readonly RegExp[] = []
  #fate: 'torn' | 'mute' = 'torn'
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

  /**
   * Delivers the next request that matches the last of these, after one that matches those before it, and then cuts the
   * connection before its answer arrives.
   */
  tearAfter(...words: readonly RegExp[]): void {
    this.#fateful = words
    this.#fate = 'torn'
  }

  /** The same, but the connection stays, and brings no more answers. */
  muteAfter(...words: readonly RegExp[]): void {
    this.#fateful = words
    this.#fate = 'mute'
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
      const text = bytes.toString('latin1')
      const [next, ...more] = this.#fateful
      if (next?.test(text) !== true) return
      this.#fateful = more
      if (more.length > 0) return
      far.removeAllListeners('data')
      if (this.#fate === 'torn') far.once('data', part)
      else far.resume()
    })
    far.on('data', (bytes) => near.write(bytes))
    for (const end of pair) {
      end.on('error', part).on('close', part)
      if (this.#state === 'silent') end.pause()
    }
  }
}
