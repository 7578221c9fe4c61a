import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { masked, maskedText } from '../../src/config/mask.ts'
import { withoutPasswords } from '../../src/domain/queue/postgres-url.ts'

test('the raw file has its passwords masked and nothing else changed', () => {
  const text = `queue = "postgres://me:p@ss:w0rd@host:5432/db?password=q&x=1" # postgres://u:v@h\ntokens_per_day = "no"\n[coders.x]\nenv = { "API_KEY" = 'k', PLAIN = "1", B_TOKEN = """a\nb""" }\n`
  expect(maskedText(text)).toBe(
    `queue = "postgres://me:***@host:5432/db?password=***&x=1" # postgres://u:***@h\ntokens_per_day = "***"\n[coders.x]\nenv = { "API_KEY" = "***", PLAIN = "1", B_TOKEN = "***" }\n`,
  )
})

describe('a secret in a command is masked, and a placeholder is not', () => {
  test.each([
    [
      ['x', '--api-key', 'abc', '{prompt_file}'],
      ['x', '--api-key', '***', '{prompt_file}'],
    ],
    [
      ['x', '--token=abc', '--model={model}'],
      ['x', '--token=***', '--model={model}'],
    ],
    [
      ['x', '--session-key', '{session}', '--token', '$TOKEN', '--secret', '--yes'],
      ['x', '--session-key', '{session}', '--token', '$TOKEN', '--secret', '--yes'],
    ],
    [
      ['x', '--max-tokens', '500', '-p', 'abc'],
      ['x', '--max-tokens', '500', '-p', 'abc'],
    ],
    [
      ['curl', '-H', 'Authorization: Basic abc', '-H', 'x-api-key: abc', 'https://me:pw@host/'],
      ['curl', '-H', 'Authorization: ***', '-H', 'x-api-key: ***', 'https://me:***@host/'],
    ],
    [
      ['sh', '-c', 'API_KEY=abc run --verbose --token abc --out x'],
      ['sh', '-c', 'API_KEY=*** run --verbose --token *** --out x'],
    ],
    [
      ['x', 'sk-abcdefghijklmnopqrstuvwxyz'],
      ['x', '***'],
    ],
  ])('%j', (command, shown) => {
    expect(masked(command)).toEqual(shown)
    // The file's text is masked in the same way.
    expect(maskedText(`command = ${JSON.stringify(command)}\n`)).toBe(`command = ${JSON.stringify(shown)}\n`)
  })
})

test('variables are masked by their names and by the format of their values', () => {
  const env = { OPENAI_API_KEY: 'abc', HEADER: 'Bearer abcdefghijklmnop', CONFIG_DIR: '/home/me/.x' }
  expect(masked({ env, command: ['x'] })).toEqual({
    env: { OPENAI_API_KEY: '***', HEADER: 'Bearer ***', CONFIG_DIR: '/home/me/.x' },
    command: ['x'],
  })
})

test.each([
  ['a line without a closing quote', 'API_KEY = "abc\nlean = true\n', 'API_KEY = "***"\nlean = true\n'],
  ['an unterminated multi-line string', `a = 1\nAPI_KEY = """abc\nde\n`, 'a = 1\nAPI_KEY = "***"'],
  ['an unterminated list', 'command = ["x", "--token", "abc"\n', 'command = ["x", "--token", "***"\n'],
])('%s does not reveal its secret', (_, text, shown) => {
  expect(maskedText(text)).toBe(shown)
})

test('no value after a secret flag or name survives, whatever surrounds it', () => {
  const word = fc.stringMatching(/^[a-z]{1,8}$/)
  const secret = fc.stringMatching(/^S3[A-Za-z0-9]{8,20}$/)
  const spelling = fc.constantFrom(
    (value: string) => ['--api-key', value],
    (value: string) => [`--token=${value}`],
    (value: string) => [`PASSWORD=${value} run`],
    (value: string) => [`run --secret ${value}`],
  )
  fc.assert(
    fc.property(fc.array(word), secret, spelling, fc.array(word), (before, value, spell, after) => {
      const command = ['x', ...before, ...spell(value), ...after]
      expect(JSON.stringify(masked(command))).not.toContain(value)
      expect(maskedText(`a = 1\ncommand = ${JSON.stringify(command)}\nb = 2\n`)).not.toContain(value)
    }),
  )
})

test('no password of a Postgres URL survives, whatever its characters and wherever the URL is', () => {
  const password = fc.stringMatching(/^[a-z'"!%.,:@&$*(){}-]{0,6}S3cret[a-z'"!%.,:@$*(){}-]{0,6}[a-z]$/)
  const around = fc.constantFrom(
    (url: string) => url,
    (url: string) => `the queue is ${url} now, ask ann@example.org`,
    (url: string) => JSON.stringify({ queue: url, mail: 'ann@example.org' }),
    (url: string) => `queue = ${JSON.stringify(url)} # of ann@example.org`,
  )
  fc.assert(
    fc.property(password, around, (secret, put) => {
      expect(withoutPasswords(put(`postgres://u:${secret}@h/db`))).toContain('postgres://u:***@h/db')
      const parameter = secret.replaceAll('&', '')
      expect(withoutPasswords(put(`postgres://u@h/db?x=1&password=${parameter}&y=2`))).not.toContain('S3cret')
    }),
  )
})

test.each([
  ["postgres://u:pa'ss@h/db", 'postgres://u:***@h/db'],
  [`queue = "postgres://u:pa'ss@h/db?password=x'y"`, 'queue = "postgres://u:***@h/db?password=***"'],
  ['["postgres://u:a@h/x","postgres://u:b@h/y","a@b"]', '["postgres://u:***@h/x","postgres://u:***@h/y","a@b"]'],
  ['{"queue":"postgres://h:5432/x","mail":"a@b"}', '{"queue":"postgres://h:5432/x","mail":"a@b"}'],
])('%s is shown as %s', (text, shown) => {
  expect(maskedText(text)).toBe(shown)
})
