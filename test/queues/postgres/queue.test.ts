import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, expect, test, vi } from 'vitest'
import { Postgres } from '../../../src/platform/postgres/postgres.ts'
import { openPostgresStore } from '../../../src/queues/postgres/open.ts'
import { PostgresQueue } from '../../../src/queues/postgres/queue.ts'
import { MIGRATIONS } from '../../../src/queues/postgres/schema.ts'
import { beginWriting } from '../../../src/queues/postgres/writers-lock.ts'
import { temporaryFolder } from '../../support/cli.ts'
import { eventually } from '../../support/home-run.ts'
import { describeWithPostgres, type TestServer } from '../../support/postgres.ts'
import { Wire } from '../../support/proxy.ts'

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE
const schemaOf = (url: string) => new URL(url).searchParams.get('schema')

async function open(url: string, more: { create?: boolean; connections?: number } = {}): Promise<PostgresQueue> {
  return new PostgresQueue(await openPostgresStore({ url, create: true, ...more }))
}

afterEach(() => void vi.useRealTimers())

describeWithPostgres('a store in PostgreSQL', (server) => {
  test('is created once and migrated once, however many processes start at the same time', async () => {
    const url = server.newUrl()
    const all = (migrations: readonly string[]) =>
      Promise.all(Array.from({ length: 6 }, () => openPostgresStore({ url, create: true, prefix: 'team', migrations })))
    const close = async (stores: Awaited<ReturnType<typeof all>>) => {
      for (const { db } of stores) await db[Symbol.asyncDispose]()
    }
    const made = await all(MIGRATIONS)
    expect(made.map(({ prefix }) => prefix)).toEqual(Array(6).fill('team'))
    await close(made)
    await close(await all([...MIGRATIONS, 'alter table task add column later integer']))
    expect(await server.query(`select key, value from ${schemaOf(url)}.meta order by key`)).toEqual([
      { key: 'prefix', value: 'team' },
      { key: 'version', value: String(MIGRATIONS.length + 1) },
    ])
    await expect(openPostgresStore({ url })).rejects.toMatchObject({
      code: 'queue',
      message: expect.stringContaining('was made by a newer fleet'),
      hint: 'update fleet; nothing was changed',
    })
  })

  test("measures leases and retry delays by the server's clock, even if the clock of a machine is a day ahead", async () => {
    await using queue = await open(server.newUrl())
    const { id } = await queue.create({ title: 'work' }, 'maker')
    const [first] = await queue.claim({ limit: 1, by: 'right', leaseMs: MINUTE })
    if (first === undefined) throw new Error('nothing was handed out')
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + DAY })
    expect(await queue.reclaimExpired()).toEqual([])
    expect(await queue.renew(first, MINUTE)).toBe(true)
    expect(await queue.settle(first, { to: 'open', notBefore: Date.now() + MINUTE })).toBe(true)
    expect([await queue.ready({ limit: 1 }), await queue.claim({ limit: 1, by: 'ahead', leaseMs: MINUTE })]).toEqual([
      [],
      [],
    ])
    const at = (await queue.nextRetryAt()) ?? 0
    expect([at > Date.now() + MINUTE / 2, at <= Date.now() + MINUTE]).toEqual([true, true])
    await queue.update(id, { status: 'open' }, 'anna')
    expect(await queue.claim({ limit: 1, by: 'ahead', leaseMs: 1 })).toHaveLength(1)
    await eventually(async () => (await queue.reclaimExpired()).length === 1, 'the lease has lapsed')
  })

  test('uses no more connections than allowed, and returns them', async () => {
    const url = server.newUrl()
    await using queue = await open(url, { connections: 3 })
    const { id } = await queue.create({ title: 'work' }, 'maker')
    await Promise.all(Array.from({ length: 60 }, () => queue.get(id)))
    await Promise.all(Array.from({ length: 10 }, (_, i) => queue.comment(id, `${i}`, 'anna')))
    expect(await queue.comments(id)).toHaveLength(10)
    for await (const task of queue.find({})) expect(await queue.get(task.id)).toMatchObject({ id })
    for await (const _first of queue.find({})) break
    const [row] = await server.query(
      `select count(*)::integer as n from pg_stat_activity where application_name = 'fleet'`,
    )
    expect(row?.['n']).toBe(3)
  })

  test("frees the writers' lock of a client that vanished inside a transaction, so that others can write", async () => {
    const url = server.newUrl()
    await using queue = await open(url)
    const settings = async (at: string) => {
      await using db = await Postgres.connect({ url: at })
      return await db.rows(`select current_setting('idle_in_transaction_session_timeout') as idle,
        current_setting('lock_timeout') as lock, current_setting('tcp_keepalives_idle') as alive`)
    }
    const impatient = `${url}&options=${encodeURIComponent('-c idle_in_transaction_session_timeout=500ms')}`
    expect([await settings(url), await settings(impatient)]).toEqual([
      [{ idle: '30s', lock: '25s', alive: '15' }],
      [{ idle: '500ms', lock: '25s', alive: '15' }],
    ])
    await using vanishing = await Postgres.connect({ url: impatient })
    let made: unknown
    const lost = vanishing.transaction({ begin: beginWriting(vanishing.schema) }, async (sql) => {
      made = await queue.create({ title: 'work' }, 'maker')
      await sql.rows('select 1')
    })
    await expect(lost).rejects.toMatchObject({ code: 'queue' })
    expect(made).toMatchObject({ title: 'work' })
  })

  test('lets a slow reader of many rows take its time', async () => {
    const options = encodeURIComponent('-c idle_in_transaction_session_timeout=100ms')
    await using db = await Postgres.connect({ url: `${server.newUrl()}&options=${options}` })
    let read = 0
    for await (const _ of db.iterate('select generate_series(1, 600)', [])) if (++read === 400) await delay(1000)
    expect(read).toBe(600)
  })

  test('stores every text, without its NUL characters', async () => {
    await using queue = await open(server.newUrl())
    const { id } = await queue.create({ title: 'a\0b', labels: ['c\0d'] }, 'ma\0ker')
    const [claim] = await queue.claim({ limit: 1, by: 'claimer', leaseMs: MINUTE })
    if (claim === undefined) throw new Error('nothing was handed out')
    expect(await queue.settle(claim, { to: 'closed', reason: 'al\0l' })).toBe(true)
    expect(await queue.get(id)).toMatchObject({ title: 'ab', labels: ['cd'], close_reason: 'all' })
  })

  test('wakes supervisors when another process creates a task, closes a blocker, or lets a lease expire', async () => {
    const url = server.newUrl()
    await using waiting = await open(url)
    await using acting = await open(url)
    let woken = 0
    using _ears = waiting.onWake(() => woken++)
    await eventually(() => woken === 1, 'it listens')
    const wakes = async (what: string, act: () => Promise<unknown>) => {
      const before = woken
      await act()
      await eventually(() => woken > before, what)
    }
    let first = ''
    await wakes('created', async () => {
      first = (await acting.create({ title: 'first' }, 'maker')).id
    })
    await wakes('linked', () =>
      acting.create({ title: 'then', dependencies: [{ on: first, type: 'blocks' }] }, 'maker'),
    )
    const [claim] = await acting.claim({ limit: 5, by: 'claimer', leaseMs: 1 })
    if (claim === undefined) throw new Error('nothing was handed out')
    await wakes('lapsed', () => eventually(async () => (await acting.reclaimExpired()).length > 0, 'it has lapsed'))
    const [again] = await acting.claim({ limit: 5, by: 'claimer', leaseMs: MINUTE })
    if (again === undefined) throw new Error('nothing was handed out')
    await wakes('closed', () => acting.settle(again, { to: 'closed', reason: 'done' }))
    expect(await acting.ready({ limit: 5 })).toMatchObject([{ title: 'then' }])
  })

  test('reconnects after a server restart and wakes the supervisors', async () => {
    await using queue = await open(server.newUrl())
    const { id } = await queue.create({ title: 'work' }, 'maker')
    let woken = 0
    using _ears = queue.onWake(() => woken++)
    await eventually(() => woken === 1, 'it listens')
    await server.stop()
    await expect(queue.get(id)).rejects.toMatchObject({ code: 'queue', trouble: 'unreachable' })
    await expect(queue.claim({ limit: 1, by: 'claimer', leaseMs: MINUTE })).rejects.toMatchObject({ code: 'queue' })
    await server.start()
    await eventually(() => woken >= 2, 'it listens again')
    expect(await queue.claim({ limit: 1, by: 'claimer', leaseMs: MINUTE })).toMatchObject([{ id }])
  })

  test('can be closed while the server does not respond', async () => {
    await using wire = await Wire.to(server.port)
    const url = server.newUrl()
    await (await open(url))[Symbol.asyncDispose]()
    const queue = await open(url.replace(`:${server.port}/`, `:${wire.port}/`))
    let woken = 0
    using _ears = queue.onWake(() => woken++)
    await eventually(() => woken === 1, 'it listens')
    wire.silence()
    const asked = expect(queue.get('fleet-a')).rejects.toMatchObject({ trouble: 'unreachable' })
    await delay(100) // so that it has been asked
    await queue[Symbol.asyncDispose]()
    await asked
  }, 20_000)

  test('reports a database that does not exist', async () => {
    const url = server.newUrl().replace('/postgres?', '/elsewhere?')
    await expect(open(url)).rejects.toMatchObject({
      code: 'queue',
      trouble: 'cannot-open',
      hint: 'create it with createdb',
    })
  })

  test.skipIf(!existsSync('/usr/bin/openssl'))('uses TLS as libpq would', async () => {
    const ca = await withCertificate(server)
    const at = (parameters: string) =>
      `postgres://fleet@localhost:${server.port}/postgres?schema=tls&host=127.0.0.1${parameters}`
    const encrypted = async (parameters: string) => {
      await using db = await Postgres.connect({ url: at(parameters) })
      const [row] = await db.rows<{ ssl: boolean }>('select ssl from pg_stat_ssl where pid = pg_backend_pid()')
      return row?.ssl
    }
    expect([
      await encrypted(''),
      await encrypted('&sslmode=require'),
      await encrypted('&sslmode=disable'),
      await encrypted(`&sslmode=verify-full&sslrootcert=${ca}`),
    ]).toEqual([true, true, false, true])
    await expect(encrypted('&sslmode=verify-full')).rejects.toMatchObject({ code: 'queue', trouble: 'unreachable' })
    await server.stop()
    await server.start()
    expect(await encrypted('')).toBe(false)
    await expect(encrypted('&sslmode=require')).rejects.toMatchObject({
      message: expect.stringContaining('The server does not support SSL'),
    })
  })
})

/** Restarts the server with a self-signed certificate. Returns the path of the certificate. */
async function withCertificate(server: TestServer): Promise<string> {
  const folder = temporaryFolder()
  const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
  const subject = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1']
  const argv = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', ...subject]
  execFileSync('openssl', [...argv, '-keyout', key, '-out', certificate], { stdio: 'pipe' })
  chmodSync(certificate, 0o644)
  await server.stop()
  server.keep('server.key', key)
  server.keep('server.crt', certificate)
  await server.start(['-c', 'ssl=on'])
  return certificate
}
