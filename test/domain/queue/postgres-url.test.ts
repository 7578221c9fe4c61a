import { expect, test } from 'vitest'
import { postgresAddress } from '../../../src/domain/queue/postgres-url.ts'

test('parameters that are not for the driver are separated from the URL', () => {
  expect(
    postgresAddress(
      'postgres://me:p%40ss@db:5433/x?schema=team&sslmode=verify-full&sslrootcert=/ca.pem&host=/run&options=-c%20a%3Db',
    ),
  ).toEqual({
    url: 'postgres://me:p%40ss@db:5433/x?host=%2Frun',
    schema: 'team',
    tls: { sslmode: 'verify-full', sslrootcert: '/ca.pem' },
    options: '-c a=b',
  })
})

test('missing parameters get defaults or stay undefined', () => {
  expect(postgresAddress('postgres://db/x')).toEqual({
    url: 'postgres://db/x',
    schema: 'fleet',
    tls: {},
    options: undefined,
  })
  expect(postgresAddress('postgres://db/x?ssl=true')?.tls).toEqual({ sslmode: 'require' })
})

test.each(['a b', 'a"b', 'A', '1a', 'a;b', ''])('a schema must be a plain name, not %j', (schema) => {
  expect(postgresAddress(`postgres://db/x?schema=${encodeURIComponent(schema)}`)).toBeUndefined()
})
