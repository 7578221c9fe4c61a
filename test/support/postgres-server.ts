import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  appendFileSync,
  chmodSync,
  chownSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { delimiter, join } from 'node:path'
import { setTimeout as after } from 'node:timers/promises'
import pg from 'pg'

/** The folder with the server's programs: the newest version, or $FLEET_TEST_POSTGRES; undefined if there is none. */
export function findPostgres(): string | undefined {
  const versions = existsSync('/usr/lib/postgresql') ? readdirSync('/usr/lib/postgresql') : []
  const newest = versions.sort((a, b) => Number(b) - Number(a)).map((version) => `/usr/lib/postgresql/${version}/bin`)
  const given = process.env['FLEET_TEST_POSTGRES']
  const elsewhere = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/local/pgsql/bin']
  const places = given === undefined ? [...newest, ...elsewhere] : [given]
  return places.find((place) => existsSync(join(place, 'initdb')) && existsSync(join(place, 'postgres')))
}

/** PostgreSQL refuses to run as root. */
const ORDINARY = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {}
const OWNER = 'fleet'
const PATIENCE_MS = 30_000

/** A real PostgreSQL, started from the machine's packages as an ordinary user. */
export class TestServer {
  readonly #bin: string
  /** The parent of its folders; other users must be able to traverse it. */
  readonly #base: () => string
  #folder = ''
  #port = 0
  #process: ChildProcess | undefined
  #schemas = 0
  #said = ''

  constructor(bin: string, base: () => string) {
    this.#bin = bin
    this.#base = base
  }

  async make(): Promise<void> {
    const template = await this.#template()
    this.#folder = mkdtempSync(join(this.#base(), 'postgres-'))
    own(this.#folder)
    cpSync(template, this.data, { recursive: true })
    if ('uid' in ORDINARY) execFileSync('chown', ['-R', `${ORDINARY.uid}:${ORDINARY.gid}`, this.data])
    this.#port = await freePort()
    await this.start()
  }

  get data(): string {
    return join(this.#folder, 'data')
  }

  get port(): number {
    return this.#port
  }

  /** The URL of a new queue: a schema that does not exist yet. */
  newUrl(): string {
    return this.url(`t${process.pid}_${++this.#schemas}`)
  }

  /** The URL of a new database with the default schema. */
  async newDatabase(): Promise<string> {
    const name = `d${process.pid}_${++this.#schemas}`
    await this.query(`create database ${name}`)
    return `postgres://${OWNER}@127.0.0.1:${this.#port}/${name}?sslmode=disable`
  }

  url(schema: string, { user = OWNER }: { user?: string } = {}): string {
    return `postgres://${user}@127.0.0.1:${this.#port}/postgres?schema=${schema}&sslmode=disable`
  }

  /** Behind fleet's back. */
  /** Asks again if there is no answer: the driver can wait for ever on a connection that a stopping server has cut. */
  async query(text: string, tries = 3): Promise<readonly Record<string, unknown>[]> {
    const late = new AbortController()
    const patience = after(PATIENCE_MS, undefined, { signal: late.signal })
    try {
      const answer = await Promise.race([this.#ask(text), patience])
      if (answer !== undefined) return answer
    } finally {
      late.abort()
    }
    if (tries === 1) throw new Error(`PostgreSQL does not answer: ${this.#said}`)
    return await this.query(text, tries - 1)
  }

  async #ask(text: string): Promise<readonly Record<string, unknown>[]> {
    const client = new pg.Client({ connectionString: `postgres://${OWNER}@127.0.0.1:${this.#port}/postgres` })
    await client.connect()
    try {
      return (await client.query(text)).rows
    } finally {
      await client.end()
    }
  }

  /** The server holds a pipe to this process, so it ends with this process, even after a crash. */
  async start(settings: readonly string[] = []): Promise<void> {
    this.#spawn(settings)
    await this.#answers()
  }

  /** It refuses every connection with 57P03, as one that replays a long log, until it is promoted. */
  async startUnready(): Promise<void> {
    const signal = join(this.data, 'standby.signal')
    writeFileSync(signal, '')
    own(signal)
    this.#spawn(['-c', 'hot_standby=off'])
    for (let tries = 0; tries < 300; tries++) {
      const code = await this.query('select 1').then(
        () => undefined,
        (error: { code?: string }) => error.code,
      )
      if (code === '57P03') return
      await after(50)
    }
    throw new Error('PostgreSQL does not say that it is starting')
  }

  async promote(): Promise<void> {
    const file = join(this.data, 'promote')
    writeFileSync(file, '')
    own(file)
    process.kill(Number(readFileSync(join(this.data, 'postmaster.pid'), 'utf8').split('\n')[0]), 'SIGUSR1')
    await this.#answers()
  }

  #spawn(settings: readonly string[]): void {
    // A shell gives background jobs an empty stdin unless it is redirected.
    const script = 'exec 3<&0; "$@" 3<&- & pid=$!; { cat <&3 >/dev/null; kill -INT $pid; } & exec 3<&-; wait $pid'
    const argv = ['-D', this.data, '-h', '127.0.0.1', '-p', String(this.#port), '-k', this.#folder, ...settings]
    this.#process = spawn('sh', ['-c', script, 'sh', join(this.#bin, 'postgres'), ...argv], {
      cwd: '/',
      stdio: ['pipe', 'ignore', 'pipe'],
      ...ORDINARY,
    })
    this.#said = ''
    this.#process.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#said = (this.#said + text).slice(-4000)
    })
  }

  async #answers(): Promise<void> {
    for (let tries = 0; tries < 300; tries++) {
      if (this.#process?.exitCode !== null) throw new Error(`PostgreSQL did not start: ${this.#said}`)
      if (await this.query('select 1').then(Boolean, () => false)) return
      await after(50)
    }
    throw new Error(`PostgreSQL does not answer: ${this.#said}`)
  }

  /** Copies a file into the data folder, readable only by the server. */
  keep(name: string, file: string): void {
    const path = join(this.data, name)
    copyFileSync(file, path)
    chmodSync(path, 0o600)
    own(path)
  }

  /** `fast` cuts connections, like `systemctl restart`. `immediate` is like a crash: the next start recovers. */
  async stop(how: 'fast' | 'immediate' = 'fast'): Promise<void> {
    const running = this.#process
    if (running === undefined) return
    this.#process = undefined
    if (how === 'immediate') {
      const [pid] = readFileSync(join(this.data, 'postmaster.pid'), 'utf8').split('\n')
      process.kill(Number(pid), 'SIGQUIT')
      await once(running, 'exit')
    }
    running.stdin?.end()
    if (running.exitCode === null) await once(running, 'exit')
  }

  async end(): Promise<void> {
    await this.stop()
    rmSync(this.#folder, { recursive: true, force: true })
  }

  /** Created once per test run, by the first caller. */
  async #template(): Promise<string> {
    const folder = join(this.#base(), 'postgres-template')
    const done = `${folder}.done`
    let first = true
    try {
      mkdirSync(folder)
    } catch {
      first = false
    }
    if (first) {
      own(folder)
      const argv = [
        '-D',
        folder,
        '-U',
        OWNER,
        '-A',
        'trust',
        '-E',
        'UTF8',
        '--locale=C.UTF-8',
        '--no-sync',
        '--wal-segsize=1',
      ]
      execFileSync(join(this.#bin, 'initdb'), argv, { cwd: '/', stdio: 'pipe', ...ORDINARY })
      appendFileSync(join(folder, 'postgresql.conf'), CONFIGURATION)
      writeFileSync(join(folder, 'pg_hba.conf'), ACCESS)
      writeFileSync(done, '')
    }
    for (let tries = 0; !existsSync(done); tries++) {
      if (tries > 1200) throw new Error('initdb does not finish')
      await after(50)
    }
    return folder
  }
}

/** Without fsync only a crash of the machine loses data; a crash of the server does not. */
const CONFIGURATION = `
fsync = off
max_connections = 200
shared_buffers = 32MB
max_wal_size = 64MB
min_wal_size = 4MB
log_min_messages = warning
`

/** A user who needs a password. */
export const GUARDED = 'guarded'
const ACCESS = `
local all all trust
host all ${GUARDED} 127.0.0.1/32 scram-sha-256
host all all 127.0.0.1/32 trust
`

function own(path: string): void {
  if ('uid' in ORDINARY) chownSync(path, ORDINARY.uid ?? 0, ORDINARY.gid ?? 0)
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (address === null || typeof address === 'string') throw new Error('no port')
  return address.port
}
