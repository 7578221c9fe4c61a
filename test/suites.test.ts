import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { isLeftOut, LEFT_OUT, PS_LEG } from './ps-leg.mjs'
import { filesOf, GROUPS, groupOf, testFiles } from './suites.mjs'

const root = resolve(import.meta.dirname, '..')
const paths = Object.values(GROUPS).flatMap((group) => group.paths)
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: Record<string, string> }

test('every test file belongs to one group', () => {
  expect(testFiles().filter((file) => groupOf(file) === undefined)).toEqual([])
  expect(paths.filter((path, at) => paths.indexOf(path) !== at)).toEqual([])
  expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([])
})

test('verify, the rest of it and the real CLIs are every test file, each once', () => {
  const parts = ['core', 'rest', 'real'].flatMap((selection) => filesOf(selection))
  expect(parts.toSorted()).toEqual(testFiles())
  expect(filesOf('all').concat(filesOf('real')).toSorted()).toEqual(testFiles())
})

/** Imports that make a file need more than Node and git. */
const NEEDS = {
  bd: /from '[^']*(real-bd|differential\/bd|\.\/bd|\.\.\/contract\/beads|\.\/beads)\.ts'/,
  postgres: /from '[^']*support\/postgres\.ts'/,
} as const

test('no file of the core needs bd or PostgreSQL', () => {
  const needing = filesOf('core').filter((file) => {
    const text = readFileSync(join(root, file), 'utf8')
    return Object.values(NEEDS).some((imports) => imports.test(text))
  })
  expect(needing).toEqual([])
})

test.each(['bd', 'postgres'] as const)('the group %s holds only files that need it', (group) => {
  const strangers = testFiles()
    .filter((file) => groupOf(file) === group)
    .filter((file) => !NEEDS[group].test(readFileSync(join(root, file), 'utf8')))
  expect(strangers).toEqual([])
})

test('every version of Node runs some of each layer', () => {
  const files = filesOf('every-node')
  for (const layer of ['test/domain', 'test/platform', 'test/contract', 'test/store', 'test/e2e', 'test/e2e/package'])
    expect(files.filter((file) => file.startsWith(layer))).not.toEqual([])
})

test('an unknown selection is refused', () => {
  expect(() => filesOf('cores')).toThrow('no selection of tests is called cores')
})

test('`verify:all` contains `verify`, and CI runs both halves of it', () => {
  const node = 'node --require ./scripts/new-enough.cjs'
  expect(scripts).toMatchObject({
    verify: `${node} scripts/verify.mjs core`,
    'verify:rest': `${node} scripts/verify.mjs rest`,
    'verify:all': `${node} scripts/verify.mjs core rest`,
  })
  const ci = readFileSync(join(root, '.ci/run'), 'utf8')
  expect(ci.indexOf('npm run verify ')).toBeGreaterThan(0)
  expect(ci.indexOf('npm run verify:rest')).toBeGreaterThan(ci.indexOf('npm run verify '))
})

test('CI names no host to download from', () => {
  for (const file of ['.ci/run', 'scripts/verify.mjs', 'scripts/install.mjs', 'scripts/install-program.mjs'])
    expect(readFileSync(join(root, file), 'utf8')).not.toMatch(/https?:|registry=|GOPROXY/)
})

test('the rest of verify runs the ps leg, and every path of its list leads to a test', () => {
  expect(readFileSync(join(root, 'scripts/verify.mjs'), 'utf8')).toContain("argv: [node, 'scripts/test-ps.mjs']")
  expect(PS_LEG.filter((path) => !testFiles().some((file) => file.includes(path)))).toEqual([])
})

test.each(Object.entries(LEFT_OUT))('the tests that the ps leg leaves out of %s are there', (file, words) => {
  expect(PS_LEG.some((path) => file.includes(path))).toBe(true)
  const text = readFileSync(join(root, file), 'utf8')
  expect(words.filter((each) => !text.includes(each))).toEqual([])
  expect(words.filter((each) => !isLeftOut(file, `a group ${each}, and more`))).toEqual([])
})
