import { expect, test } from 'vitest'
import { choice } from '../../../src/domain/verify/path-pattern.ts'

test.each<[string, readonly string[], readonly string[]]>([
  ['*.snap', ['a.snap', 'a/b.snap'], ['a.snapper', 'asnap']],
  ['/build.rs', ['build.rs'], ['a/build.rs']],
  ['docs/a.txt', ['docs/a.txt'], ['x/docs/a.txt']],
  ['data/', ['data/a', 'x/data/a/b'], ['data', 'metadata/a']],
  ['/data/', ['data/a'], ['x/data/a']],
  ['a/**/z', ['a/z', 'a/b/z', 'a/b/c/z'], ['z', 'b/z']],
  ['**/a/b', ['a/b', 'x/a/b'], ['a/c']],
  ['a/**', ['a/b', 'a/b/c'], ['a', 'b/a']],
  ['a?c.[jt]s', ['abc.js', 'x/abc.ts'], ['ac.js', 'abc.cs', 'a/c.js']],
  ['[!a]*', ['b'], ['a']],
  ['{a,b*}.{c,d}', ['a.c', 'bb.d'], ['a.e', '{a,b*}.{c,d}']],
  ['a+b(c).txt', ['a+b(c).txt'], ['aab(c).txt']],
  ['\\!a', ['!a'], ['a']],
  ['node_modules', ['node_modules', 'node_modules/a', 'x/node_modules/a/b'], ['node_module']],
])('%s is read as in .gitignore', (pattern, matching, others) => {
  const isIn = choice([pattern])
  expect([matching.map(isIn), others.map(isIn)]).toEqual([matching.map(() => true), others.map(() => undefined)])
})
