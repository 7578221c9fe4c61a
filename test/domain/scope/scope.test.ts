import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isBounded, patternProblem, patternsOf, scopeOf, scopeText, writable } from '../../../src/domain/scope/scope.ts'

const may = (writes: readonly string[], path: string): boolean => writable({ readOnly: false, writes })(path)

describe('a pattern of a scope', () => {
  test.each([
    ['src/a/**', 'src/a/b/c.ts', true],
    ['src/a/**', 'src/ab.ts', false],
    ['src/a', 'src/a/b/c.ts', true],
    ['src/a/', 'src/a/b.ts', true],
    ['src/a', 'lib/src/a/b.ts', false],
    ['README.md', 'README.md', true],
    ['README.md', 'docs/README.md', false],
    ['**/README.md', 'docs/README.md', true],
    ['*.md', 'docs/a.md', false],
    ['./src/*.ts', 'src/a.ts', true],
    ['/src/*.ts', 'src/a.ts', true],
    ['src/*.ts', 'src/a/b.ts', false],
    ['src/{a,b}/**', 'src/b/x', true],
    ['src/{a,b}/**', 'src/c/x', false],
  ])('%s and %s: %s', (pattern, path, expected) => expect(may([pattern], path)).toBe(expected))

  test('with an exclamation mark takes paths out; the last that matches decides', () => {
    expect(may(['src/**', '!src/gen/**'], 'src/gen/a.ts')).toBe(false)
    expect(may(['src/**', '!src/gen/**', 'src/gen/keep.ts'], 'src/gen/keep.ts')).toBe(true)
  })

  test('stays inside the project', () => {
    expect(['../x', 'a/../../x', '~/x', 'a\nb', ''].filter((each) => patternProblem(each) === undefined)).toEqual([])
    expect(['src/**', '!src/gen', 'a..b/c'].filter((each) => patternProblem(each) !== undefined)).toEqual([])
  })

  test('a folder covers all that is below it, and nothing beside it', () => {
    const name = fc.stringMatching(/^[a-z]{1,5}$/)
    fc.assert(
      fc.property(fc.array(name, { minLength: 1, maxLength: 3 }), fc.array(name, { minLength: 1 }), (folder, below) => {
        const at = folder.join('/')
        expect(may([at], `${at}/${below.join('/')}`)).toBe(true)
        expect(may([at], `${at}x/${below.join('/')}`)).toBe(false)
      }),
    )
  })
})

test('commas separate patterns, but not within braces', () => {
  expect(patternsOf('src/{a,b}/**, docs ,,')).toEqual(['src/{a,b}/**', 'docs'])
})

test('a task says for itself, in place of its project, where it may write', () => {
  const project = { scope: ['src/**'], readOnly: true }
  expect([scopeOf({}, project), scopeOf({ scope: 'docs', read_only: 'false' }, project)]).toEqual([
    { readOnly: true, writes: ['src/**'] },
    { readOnly: false, writes: ['docs'] },
  ])
  const free = scopeOf({}, { scope: undefined, readOnly: false })
  expect([free, isBounded(free), writable(free)('any/where')]).toEqual([{ readOnly: false }, false, true])
})

test('a read-only task may write nothing, whatever its patterns say', () => {
  const scope = { readOnly: true, writes: ['src/**'] }
  expect([writable(scope)('src/a'), scopeText(scope)]).toEqual([false, 'nothing (read-only)'])
})
