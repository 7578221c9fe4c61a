import { spawnSync } from 'node:child_process'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { configText, settingsIn } from '../../../src/platform/git/config-text.ts'

/** As git itself reads it; undefined: git refuses the file. */
function asGitReads(text: string): string[][] | undefined {
  const argv = ['config', '--file', '-', '--no-includes', '-z', '--list']
  const listed = spawnSync('git', argv, { encoding: 'utf8', input: text })
  if (listed.status !== 0) return undefined
  return listed.stdout
    .split('\0')
    .filter((each) => each !== '')
    .map((each) => {
      const end = each.indexOf('\n')
      return end < 0 ? [each, 'true'] : [each.slice(0, end), each.slice(end + 1)]
    })
}

test('reads a configuration as git does', () => {
  const text = [
    '# a comment',
    '[core]',
    '\trepositoryformatversion = 0 ; why',
    '  fileMode',
    '\tpath = "a # b" c\\t"d"  ',
    '[filter "Big.Lfs \\"x\\""] clean = one \\',
    ' two',
    '[Remote.Origin] URL = https://example.org/a.git#frag',
    '[empty]',
    'a =',
  ].join('\n')
  expect(settingsIn(text)).toEqual(asGitReads(text))
  expect(settingsIn(text)).toContainEqual(['filter.Big.Lfs "x".clean', 'one  two'])
})

test('reads a backslash at the end of the file as git does', () => {
  for (const text of ['[s]\nk =\\', '[s]\nk = v\\', '[s]\nk = v \\']) {
    expect(asGitReads(text)).toHaveLength(1)
    expect(settingsIn(text)).toEqual(asGitReads(text))
  }
})

test('skips spaces before the first part of a value as git does, also on the next line and after empty quotes', () => {
  for (const value of ['\\\n v', '"" v', '""\t"" v', '\\\n \\\n\tv w', 'v \\\n w', '" " v']) {
    const text = `[s]\nk =${value}\n`
    expect(asGitReads(text)).toHaveLength(1)
    expect(settingsIn(text)).toEqual(asGitReads(text))
  }
})

test('reads whatever git reads, the same', () => {
  const piece = fc.constantFrom(
    ...['[core]', '[a "B c"]', '[x.Y]', '\n', ' ', 'name', 'k2', '=', '"', '\\', '\\n', '#', ';', 'v', '\\\n', '\r\n'],
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 14 }), (pieces) => {
      const text = `[s]\n${pieces.join('')}`
      const expected = asGitReads(text)
      if (expected !== undefined) expect(settingsIn(text)).toEqual(expected)
    }),
    { numRuns: 300 },
  )
})

test('writes any value so that git reads it back', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.string(), (value, name) => {
      fc.pre(!/[\0\r\b]/.test(value + name) && !name.includes('\n'))
      const settings = [[`remote.${name}.url`, value] as const, ['core.bare', 'false'] as const]
      expect(asGitReads(configText(settings))).toEqual(settings)
      expect(settingsIn(configText(settings))).toEqual(settings)
    }),
    { numRuns: 60 },
  )
})
