import { expect, test } from 'vitest'
import { passwordIn } from '../../../src/domain/queue/pgpass.ts'

const WANTED = { host: 'db.example', port: 5432, database: 'fleet', user: 'ann' }

test.each([
  ['every field fits', 'db.example:5432:fleet:ann:secret', 'secret'],
  ['stars fit anything', '*:*:*:*:secret', 'secret'],
  ['the first line that fits counts', 'other:*:*:*:a\ndb.example:*:*:ann:b\n*:*:*:*:c', 'b'],
  ['comments and empty lines are passed over', '# *:*:*:*:a\n\n*:*:*:*:b\r\n', 'b'],
  ['a backslash takes the next character as it is', String.raw`*:*:*:*:a\:b\\c`, String.raw`a:b\c`],
  ['colons of the password need none', '*:*:*:*:a:b', 'a:b'],
  ['no line fits', 'db.example:5433:fleet:ann:secret\ndb.example:5432:fleet', undefined],
])('%s', (_what, text, password) => {
  expect(passwordIn(text, WANTED)).toBe(password)
})
