import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { checkNode } from '../../src/doctor/tools.ts'
import { FLEET, run, temporaryFolder } from '../support/cli.ts'
import { nodesIn } from '../support/syntax.ts'

const ROOT = resolve(import.meta.dirname, '../..')
const GATE = './scripts/new-enough.cjs'

/** A program run by this Node under the version of another. Tried by hand on Node 12, 16 and 18. */
function posing(version: string, argv: readonly string[]) {
  const file = join(temporaryFolder(), 'posing.cjs')
  const versions = `{ ...process.versions, node: ${JSON.stringify(version)} }`
  writeFileSync(file, `Object.defineProperty(process, 'versions', { value: ${versions} })`)
  return run(process.execPath, ['--require', file, ...argv], { cwd: ROOT })
}

/** The entry as it is shipped. */
const under = (version: string) => posing(version, [FLEET, '--version'])

const told = (version: string) => ({
  code: 8,
  stdout: '',
  stderr: `fleet: Node ${version} (${process.execPath}) is too old: fleet needs 20.19, or 22.3 and newer\n  install a newer Node (https://nodejs.org), or put one first on PATH\n`,
})

describe('a Node that is too old', () => {
  test.each(['12.22.12', '18.20.8', '20.18.3', '22.2.0'])('%s is told in a sentence', (version) => {
    expect(under(version)).toEqual(told(version))
  })

  test('is told by the first commands of a clone too', () => {
    const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
    for (const name of ['quickstart', 'verify', 'verify:rest', 'verify:all', 'build']) {
      const [node, ...argv] = String(scripts[name]).split(' ')
      expect({ name, node, gate: argv.slice(0, 2) }).toEqual({ name, node: 'node', gate: ['--require', GATE] })
      expect(posing('18.20.8', argv)).toEqual(told('18.20.8'))
    }
    expect(posing('22.3.0', ['--require', GATE, '--eval', ''])).toEqual({ code: 0, stdout: '', stderr: '' })
  })

  test.each(['20.19.0', '22.3.0', '24.0.0'])('%s is not', (version) => {
    expect(under(version)).toMatchObject({ code: 0, stderr: '' })
  })

  test.each([
    { what: 'the entry', path: FLEET, modules: ['./start.cjs'] },
    { what: 'the gate of the scripts', path: join(ROOT, GATE), modules: [] },
  ])(
    'can parse $what: it has the syntax of ES5 only, and asks for no module by a `node:` name',
    ({ path, modules }) => {
      const text = readFileSync(path, 'utf8')
      const words = nodesIn(text, 'js').map(({ node: { type, kind, operator, bigint } }) =>
        [type, kind, operator, bigint && 'bigint'].filter(Boolean).join(' '),
      )
      expect([...new Set(words)].filter((word) => !ES5.has(word))).toEqual([])
      expect([...text.matchAll(/require\('(.*?)'\)/g)].map(([, name]) => name)).toEqual(modules)
    },
  )

  test('is the same for the entry, for the scripts and for doctor', () => {
    const text = readFileSync(FLEET, 'utf8').replace(/^#!.*/, '')
    const gate = readFileSync(join(ROOT, GATE), 'utf8')
    fc.assert(
      fc.property(fc.nat(30), fc.nat(30), (major, minor) => {
        const version = `${major}.${minor}.0`
        let loaded = false
        let refused = false
        const exit = () => {
          refused = true
        }
        const pretend = { versions: { node: version }, execPath: 'node', stderr: { write: () => {} }, exit }
        new Function('process', 'require', text)(pretend, () => {
          loaded = true
        })
        new Function('process', gate)(pretend)
        const isEnough = checkNode(`v${version}`).state === 'ok'
        expect({ loaded, refused }).toEqual({ loaded: isEnough, refused: !isEnough })
      }),
    )
  })
})

/** The syntax that the entry uses, all of it older than ES2015. */
const ES5 = new Set([
  'Program',
  'Hashbang', // Node leaves that line out.
  'ExpressionStatement',
  'VariableDeclaration var',
  'VariableDeclarator',
  'IfStatement',
  'BlockStatement',
  'Identifier',
  'Literal',
  'CallExpression',
  'MemberExpression',
  'ParenthesizedExpression',
  'BinaryExpression +',
  'UnaryExpression !',
  'BinaryExpression ===',
  'BinaryExpression >',
  'BinaryExpression >=',
  'LogicalExpression ||',
  'LogicalExpression &&',
  'AssignmentExpression =',
])
