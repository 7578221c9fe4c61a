import fc from 'fast-check'
import { expect, test } from 'vitest'
import { mapStrings, redact } from '../../../src/domain/text/redact.ts'

const LETTERS = 'abcdefghijABCDEFGHIJ0123456789abcdefghij'

test.each([
  ['an Anthropic key', `key sk-ant-api03-${LETTERS} end`, 'key [redacted] end'],
  ['an OpenAI key', `OPENAI=sk-proj-${LETTERS}`, 'OPENAI=[redacted]'],
  ['a GitHub token', `ghp_${LETTERS} gho_${LETTERS}`, '[redacted] [redacted]'],
  ['a fine-grained GitHub token', `github_pat_${LETTERS}_x`, '[redacted]'],
  ['a GitLab token', 'glpat-abcdefghij0123456789', '[redacted]'],
  ['an npm token', `//registry/:_authToken=npm_${LETTERS}`, '//registry/:_authToken=[redacted]'],
  ['a Slack token', '"xoxb-1234567890-abcdef"', '"[redacted]"'],
  ['an AWS key id', 'id AKIAIOSFODNN7EXAMPLE.', 'id [redacted].'],
  ['a Google key', `AIza${LETTERS}`, '[redacted]'],
  ['a bearer token', 'Authorization: Bearer abcdef.123456-xyz==', 'Authorization: Bearer [redacted]'],
  ['a JWT', 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.sflKxwRJSMeKKF2QT4', '[redacted]'],
  ['a password in a URL', 'postgres://ann:s3cret@db:5432/x', 'postgres://ann:[redacted]@db:5432/x'],
  ['a password with quotes in it', `at "postgres://u:pa'ss"x@h/db".`, 'at "postgres://u:[redacted]@h/db".'],
  ['a password without a name', 'redis://:s3cret@cache', 'redis://:[redacted]@cache'],
  [
    'a private key',
    'a\n-----BEGIN RSA PRIVATE KEY-----\nMIIE\nabc=\n-----END RSA PRIVATE KEY-----\nb',
    'a\n[redacted]\nb',
  ],
  ['half a private key', 'a\n-----BEGIN PRIVATE KEY-----\nMIIE', 'a\n[redacted]'],
])('%s is masked', (_what, text, masked) => {
  expect(redact(text)).toBe(masked)
})

test.each([
  'a task, risk-free: ask-me-anything',
  'https://example.org/path?x=1#y and a@b.example',
  'https://user@example.org/',
  '{"at":"http://host:80","by":"ann@example.org"}',
  'git@github.com:owner/name.git',
  'the bearer of bad news',
  'eyJust kidding',
  'sk-short',
])('%j is unchanged', (text) => {
  expect(redact(text)).toBe(text)
})

test('known secret values are masked everywhere, short ones are not', () => {
  expect(redact('x=hunter2hunter2,hunter2hunter2 y=abc', ['hunter2hunter2', 'abc'])).toBe(
    'x=[redacted],[redacted] y=abc',
  )
})

test('masking is idempotent, and no secret value survives', () => {
  fc.assert(
    fc.property(fc.string(), fc.string({ minLength: 8 }), fc.string(), (before, secret, after) => {
      fc.pre(!'[redacted]'.includes(secret))
      const once = redact(before + secret + after, [secret])
      expect(redact(once)).toBe(once)
      expect(once.split('[redacted]').some((part) => part.includes(secret))).toBe(false)
    }),
  )
})

test('masking a long hostile text takes linear time', () => {
  for (const piece of [
    '://a:',
    'bearer ',
    'eyJaaaaaaaaa.',
    '-eyJ-',
    '-----BEGIN PRIVATE KEY-----',
    'sk-',
    'postgres://x:y',
  ]) {
    redact(piece.repeat(100_000 / piece.length))
  }
}, 20_000)

test('strings are masked at any depth of a record', () => {
  const found = [{ pid: 1, command: 'curl -H secret-value' }, null]
  expect(mapStrings({ found, why: 'secret-value', n: 1 }, (text) => redact(text, ['secret-value']))).toEqual({
    found: [{ pid: 1, command: 'curl -H [redacted]' }, null],
    why: '[redacted]',
    n: 1,
  })
})
