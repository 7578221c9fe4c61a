import { expect, test } from 'vitest'
import { namesOtherCharset, withAsciiSigns } from '../../../src/domain/text/ascii.ts'

test('own signs become one ASCII character each, and other text stays', () => {
  expect(withAsciiSigns('▶ a → b … ✓ ■ · Grüße 世界')).toBe('> a > b ~ + # - Grüße 世界')
})

test.each([
  [{ LC_ALL: 'C' }, true],
  [{ LC_ALL: 'POSIX', LANG: 'en_US.UTF-8' }, true],
  [{ LANG: 'de_DE.ISO-8859-1@euro' }, true],
  [{ LC_ALL: '', LC_CTYPE: 'C', LANG: 'en_US.UTF-8' }, true],
  [{ LC_ALL: 'C.UTF-8' }, false],
  [{ LANG: 'en_US.utf8' }, false],
  [{ LANG: 'en_US' }, false],
  [{}, false],
])('%j names another character set than UTF-8: %s', (env, other) => {
  expect(namesOtherCharset(env)).toBe(other)
})
