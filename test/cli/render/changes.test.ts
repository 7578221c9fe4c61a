import { expect, test } from 'vitest'
import { decidedLines } from '../../../src/cli/render/changes.ts'

test('no character of a changed line hides a part of it', () => {
  const lineOf = (text: string) => {
    const change = { path: 'coders/x.mjs', noticedAt: 0, runs: [], before: '', after: { text } }
    const diff = { path: 'coders/x.mjs', lines: [{ kind: '+' as const, text }], masked: [], problem: undefined }
    return decidedLines({ change, diff, decision: null, keptAs: undefined })[1]
  }
  // A terminal would obey the sequence, and show nothing of the code inside it.
  expect(lineOf('/*\u001b]*/ evil() /*\u0007*/')).toBe('  + /*\\u001b]*/ evil() /*\\u0007*/')
  expect(lineOf('x\u001b[8m evil()\u001b[0m')).toBe('  + x\\u001b[8m evil()\\u001b[0m')
  // It ends the comment.
  expect(lineOf('// harmless\revil()')).toBe('  + // harmless\\u000devil()')
  expect(lineOf('// harmless\u2028evil()')).toBe('  + // harmless\\u2028evil()')
  expect(lineOf('a\tb\r')).toBe('  + a b')
})
