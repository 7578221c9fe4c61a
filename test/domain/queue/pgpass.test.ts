import { expect, test } from 'vitest'
import { passwordIn } from '../../../src/domain/queue/pgpass.ts'

const WANTED = { host: 'db.example', port: 5432, database: 'fleet', user: 'ann' }

test.each([
  ['every field matches', 'db.example:5432:fleet:ann:secret', 'secret'],
  ['a star matches anything', '*:*:*:*:secret', 'secret'],
  ['the first matching line counts', 'other:*:*:*:a\ndb.example:*:*:ann:b\n*:*:*:*:c', 'b'],
  ['comments and empty lines are skipped', '# *:*:*:*:a\n\n*:*:*:*:b\r\n', 'b'],
  ['a backslash escapes the next character', String.raw`*:*:*:*:a\:b\\c`, String.raw`a:b\c`],
  ['colons in the password need no escape', '*:*:*:*:a:b', 'a:b'],
  ['no line matches', 'db.example:5433:fleet:ann:secret\ndb.example:5432:fleet', undefined],
])('%s', (_what, text, password) => {
  expect(passwordIn(text, WANTED)).toBe(password)
})
