import { Socket } from 'node:net'
import type { Client, ClientConfig, Pool, PoolClient, QueryResult } from 'pg'
import { type PostgresAddress, postgresAddress } from '../../domain/queue/postgres-url.ts'
import { withoutNul } from '../../domain/text/nul.ts'
import { AppError } from '../../errors.ts'
import { passwordFromFile, tlsFor } from './login.ts'
import { explainPostgres, isConnectionLost } from './trouble.ts'

/** The only user of the Postgres driver: a few connections, statements prepared once on each, errors classified here. */

export type SqlArgument = string | number | boolean | null | readonly (string | number | null)[]

/** Runs statements: each as its own transaction on any connection, or all inside one transaction. */
export interface Sql {
  /** Prepared on first use and kept, so pass constant text only. */
  rows<Row>(text: string, values?: readonly SqlArgument[]): Promise<Row[]>
  /** Returns the number of changed rows. `answerMs`: how long an answer is useful. */
  change(text: string, values?: readonly SqlArgument[], how?: { answerMs?: number }): Promise<number>
  /** For text built from a filter. */
  once<Row>(text: string, values?: readonly SqlArgument[]): Promise<Row[]>
}

export interface PostgresOptions {
  readonly url: string
  /** Maximum number of connections, not counting one for listening. */
  readonly most?: number
}

/** Enough for a reader that queries something for each row, few enough for many machines on one server. */
const CONNECTIONS = 4
const CONNECT_MS = 10_000
/** A server that does not answer a statement in this time counts as unreachable. */
const ANSWER_MS = 30_000
/** Rows per fetch of a large result. */
const PAGE = 500
const LISTEN_AGAIN_MS = 1000
/** How long to wait for the server to close its connections. */
const CLOSE_MS = 2000

/**
 * A client that vanishes inside a transaction must not keep its locks until the server's TCP stack notices, hours later.
 * A client that stops waiting for a lock must stop waiting on the server too.
 */
const SESSION = [
  'idle_in_transaction_session_timeout=30s',
  'lock_timeout=25s',
  'tcp_keepalives_idle=15',
  'tcp_keepalives_interval=5',
  'tcp_keepalives_count=3',
]
  .map((setting) => `-c ${setting}`)
  .join(' ')

export class Postgres implements Sql, AsyncDisposable {
  /** For people: the URL without its password. */
  readonly location: string
  readonly schema: string
  readonly #pool: Pool
  readonly #newClient: () => Client
  readonly #listening = new Set<Disposable>()
  readonly #sockets: ReadonlySet<Socket>

  private constructor(parts: {
    location: string
    schema: string
    pool: Pool
    newClient: () => Client
    sockets: ReadonlySet<Socket>
  }) {
    this.location = parts.location
    this.schema = parts.schema
    this.#pool = parts.pool
    this.#newClient = parts.newClient
    this.#sockets = parts.sockets
  }

  /** Opens one connection at once, so that a wrong address or password is reported now. */
  static async connect({ url, most = CONNECTIONS }: PostgresOptions): Promise<Postgres> {
    const { default: pg } = await import('pg')
    const address = postgresAddress(url)
    if (address === undefined) throw new AppError('config', 'the schema in the postgres:// URL is not a plain name')
    const { config, location } = configOf(pg, address)
    const { ssl, optional } = tlsFor(address.tls, config.host ?? '')
    const open = async (tls: ClientConfig['ssl']): Promise<Postgres> => {
      const sockets = new Set<Socket>()
      const full = { ...config, ssl: tls as NonNullable<ClientConfig['ssl']>, stream: () => socketAmong(sockets) }
      const pool = new pg.Pool({ ...full, max: most, idleTimeoutMillis: 30_000, allowExitOnIdle: true })
      // An idle connection was lost; the next statement gets another one.
      pool.on('error', () => {})
      // A connection in use was lost; its statement fails. Without a listener the error would end the process.
      pool.on('connect', (client) => client.on('error', () => {}))
      try {
        ;(await pool.connect()).release()
        const newClient = () => new pg.Client(full)
        return new Postgres({ location, schema: address.schema, pool, newClient, sockets })
      } catch (error) {
        await pool.end()
        // The driver leaves a connection open while the server waits for a password.
        for (const socket of sockets) socket.destroy()
        throw error
      }
    }
    try {
      return await open(ssl).catch((error: unknown) => {
        if (optional && error instanceof Error && NO_TLS.test(error.message)) return open(false)
        throw error
      })
    } catch (error) {
      throw explainPostgres(error, location)
    }
  }

  async rows<Row>(text: string, values: readonly SqlArgument[] = []): Promise<Row[]> {
    return (await this.#guard(() => this.#pool.query(prepared(text, values)))).rows as Row[]
  }

  async change(text: string, values: readonly SqlArgument[] = [], { answerMs = ANSWER_MS } = {}): Promise<number> {
    const query = { ...prepared(text, values), query_timeout: answerMs }
    return (await this.#guard(() => this.#pool.query(query))).rowCount ?? 0
  }

  async once<Row>(text: string, values: readonly SqlArgument[] = []): Promise<Row[]> {
    return (await this.#guard(() => this.#pool.query({ text, values: storable(values) }))).rows as Row[]
  }

  /**
   * All of `work` or nothing. `begin` and `end` are complete statements, sent together with the begin and the commit to save
   * round trips. `work` receives the row that `begin` selects.
   */
  async transaction<T>(
    { begin, end = '' }: { begin: string; end?: string },
    work: (sql: Sql, begun: Readonly<Record<string, never>>) => Promise<T>,
  ): Promise<T> {
    const client = await this.#guard(() => this.#pool.connect())
    let broken = true
    try {
      return await this.#guard(async () => {
        const begun = [await client.query(begin)].flat() as readonly QueryResult[]
        try {
          const result = await work(statementsOn(client), begun.at(-1)?.rows[0] ?? {})
          await client.query(`${end}; commit`)
          broken = false
          return result
        } catch (error) {
          await client.query('rollback').then(
            () => {
              broken = false
            },
            () => {},
          )
          throw error
        }
      })
    } catch (error) {
      broken ||= isConnectionLost(error)
      throw error
    } finally {
      client.release(broken)
    }
  }

  /** A consistent view over several reads. */
  async reading<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    return await this.transaction({ begin: 'begin isolation level repeatable read read only' }, work)
  }

  /** Reads rows as the caller consumes them, however slowly: a read-only transaction blocks nobody. */
  async *iterate<Row>(text: string, values: readonly SqlArgument[]): AsyncIterable<Row> {
    const client = await this.#guard(() => this.#pool.connect())
    let broken = true
    try {
      await this.#guard(() => client.query(BEGIN_SLOW_READING))
      await this.#guard(() => client.query(`declare page no scroll cursor for ${text}`, storable(values)))
      for (;;) {
        const { rows } = await this.#guard(() => client.query(`fetch ${PAGE} from page`))
        yield* rows as Row[]
        if (rows.length < PAGE) break
      }
    } finally {
      await client.query('rollback').then(
        () => {
          broken = false
        },
        () => {},
      )
      client.release(broken)
    }
  }

  /** Calls `woken` on a notification, and whenever one may have been missed. Only a hint: polling finds the same changes. */
  listen(channel: string, woken: () => void): Disposable {
    let stopped = false
    let client: Client | undefined
    let timer: NodeJS.Timeout | undefined
    const again = (): void => {
      client?.removeAllListeners()
      // Closing a client twice is harmless.
      client
        ?.on('error', () => {})
        .end()
        .catch(() => {})
      client = undefined
      if (stopped) return
      clearTimeout(timer)
      timer = setTimeout(connect, LISTEN_AGAIN_MS)
      timer.unref()
    }
    const connect = (): void => {
      const fresh = this.#newClient()
      client = fresh
      fresh.on('notification', woken).on('error', again).on('end', again)
      fresh
        .connect()
        .then(() => fresh.query(`listen ${channel}`))
        .then(woken, again)
    }
    connect()
    const listener = {
      [Symbol.dispose]: () => {
        stopped = true
        clearTimeout(timer)
        this.#listening.delete(listener)
        if (client !== undefined) again()
      },
    }
    this.#listening.add(listener)
    return listener
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const listener of [...this.#listening]) listener[Symbol.dispose]()
    // The driver waits for the server to close the connection, which an unreachable server never does.
    setTimeout(() => {
      for (const socket of this.#sockets) socket.destroy()
    }, CLOSE_MS).unref()
    if (!this.#pool.ended && !this.#pool.ending) await this.#pool.end()
  }

  async #guard<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      throw explainPostgres(error, this.location)
    }
  }
}

const BEGIN_SLOW_READING =
  'begin isolation level repeatable read read only; set local idle_in_transaction_session_timeout = 0'

function socketAmong(sockets: Set<Socket>): Socket {
  const socket = new Socket()
  sockets.add(socket)
  return socket.once('close', () => sockets.delete(socket))
}

const NO_TLS = /server does not support SSL/

function statementsOn(client: PoolClient): Sql {
  return {
    rows: async (text, values = []) => (await client.query(prepared(text, values))).rows as never,
    change: async (text, values = []) => (await client.query(prepared(text, values))).rowCount ?? 0,
    once: async (text, values = []) => (await client.query({ text, values: storable(values) })).rows as never,
  }
}

/** The same text has the same name on every connection. */
const names = new Map<string, string>()

function prepared(text: string, values: readonly SqlArgument[]) {
  let name = names.get(text)
  if (name === undefined) {
    name = `fleet_${names.size}`
    names.set(text, name)
  }
  return { name, text, values: storable(values) }
}

/** The server refuses every text that contains NUL, so a retry would never succeed. */
function storable(values: readonly SqlArgument[]): unknown[] {
  return values.map((value) => {
    if (typeof value === 'string') return withoutNul(value)
    return Array.isArray(value) ? value.map((each) => (typeof each === 'string' ? withoutNul(each) : each)) : value
  })
}

const BIGINT = 20

/** The URL's settings, with libpq's variables and files as defaults. */
function configOf(pg: typeof import('pg').default, { url, schema, options }: PostgresAddress) {
  const found = addressOf(pg, url)
  const { host, port, database = '', user = '' } = found
  const config: ClientConfig = {
    host,
    port,
    database,
    user,
    // Called for every new connection, so that the password may change while a supervisor runs.
    password: found.password ?? (() => passwordFromFile({ host, port, database, user }) ?? ''),
    // Later settings win, so the user's come after ours.
    options: `${SESSION} ${options ?? process.env['PGOPTIONS'] ?? ''} -c search_path=${schema}`,
    application_name: process.env['PGAPPNAME'] ?? 'fleet',
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    connectionTimeoutMillis: Number(process.env['PGCONNECT_TIMEOUT']) * 1000 || CONNECT_MS,
    query_timeout: ANSWER_MS,
    types: {
      // All bigints are counts or milliseconds, far below the limit of safe integers.
      getTypeParser: ((oid: number, format: 'text') =>
        oid === BIGINT ? Number : pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser,
    },
  }
  const place = host.startsWith('/') ? `${encodeURIComponent(host)}` : host.includes(':') ? `[${host}]` : host
  return { config, location: `postgres://${encodeURIComponent(user)}@${place}:${port}/${encodeURIComponent(database)}` }
}

/** The driver parses the URL and the variables in the constructor; this does not connect. */
function addressOf(pg: typeof import('pg').default, url: string) {
  try {
    const { host, port, database, user, password } = new pg.Client({ connectionString: url })
    return { host, port, database, user, password: password ?? undefined }
  } catch (error) {
    // No cause: it contains the URL, and the URL contains the password.
    throw new AppError('config', `the postgres:// URL cannot be read: ${(error as Error).message.replace(url, '…')}`)
  }
}
