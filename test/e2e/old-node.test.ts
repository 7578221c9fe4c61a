import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { checkNode } from '../../src/doctor/tools.ts'
import { FLEET, run, temporaryFolder } from '../support/cli.ts'
import { nodesIn } from '../support/syntax.ts'

/** The entry as it is shipped, run by this Node under the version of another. Tried by hand on Node 12, 16 and 18. */
function under(version: string) {
  const posing = join(temporaryFolder(), 'posing.cjs')
  const versions = `{ ...process.versions, node: ${JSON.stringify(version)} }`
  writeFileSync(posing, `Object.defineProperty(process, 'versions', { value: ${versions} })`)
  return run(process.execPath, ['--require', posing, FLEET, '--version'])
}

describe('a Node that is too old', () => {
  test.each(['12.22.12', '18.20.8', '20.18.3', '22.2.0'])('%s is told in a sentence', (version) => {
    expect(under(version)).toEqual({
      code: 8,
      stdout: '',
      stderr: `fleet: Node ${version} (${process.execPath}) is too old: fleet needs 20.19, or 22.3 and newer\n  install a newer Node (https://nodejs.org), or put one first on PATH\n`,
    })
  })

  test.each(['20.19.0', '22.3.0', '24.0.0'])('%s is not', (version) => {
    expect(under(version)).toMatchObject({ code: 0, stderr: '' })
  })

  test('can parse the entry: it has the syntax of ES5 only, and asks for no module by a `node:` name', () => {
    const text = readFileSync(FLEET, 'utf8')
    const words = nodesIn(text, 'js').map(({ node: { type, kind, operator, bigint } }) =>
      [type, kind, operator, bigint && 'bigint'].filter(Boolean).join(' '),
    )
    expect([...new Set(words)].filter((word) => !ES5.has(word))).toEqual([])
    expect([...text.matchAll(/require\('(.*?)'\)/g)].map(([, name]) => name)).toEqual(['./start.cjs'])
  })

  test('is the same for the entry and for doctor', () => {
    const text = readFileSync(FLEET, 'utf8').replace(/^#!.*/, '')
    fc.assert(
      fc.property(fc.nat(30), fc.nat(30), (major, minor) => {
        const version = `${major}.${minor}.0`
        let loaded = false
        const pretend = { versions: { node: version }, execPath: 'node', stderr: { write: () => {} }, exitCode: 0 }
        new Function('process', 'require', text)(pretend, () => {
          loaded = true
        })
        expect(loaded).toBe(checkNode(`v${version}`).state === 'ok')
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
  'BinaryExpression ===',
  'BinaryExpression >',
  'BinaryExpression >=',
  'LogicalExpression ||',
  'LogicalExpression &&',
  'AssignmentExpression =',
])
