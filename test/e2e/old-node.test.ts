import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import ts from 'typescript'
import { describe, expect, test } from 'vitest'
import { checkNode } from '../../src/doctor/tools.ts'
import { FLEET, run, temporaryFolder } from '../support/cli.ts'

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
    const file = ts.createSourceFile('entry.cjs', text, ts.ScriptTarget.ESNext, true, ts.ScriptKind.JS)
    const found = new Set<string>()
    const visit = (node: ts.Node): void => {
      if (!ES5.has(node.kind)) found.add(ts.SyntaxKind[node.kind])
      if (ts.isVariableDeclarationList(node) && node.flags & ts.NodeFlags.BlockScoped) found.add('let, const or using')
      ts.forEachChild(node, visit)
    }
    visit(file)
    expect([...found]).toEqual([])
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

const K = ts.SyntaxKind
/** The syntax that the entry uses, all of it older than ES2015. */
const ES5 = new Set<ts.SyntaxKind>([
  K.SourceFile,
  K.EndOfFileToken,
  K.ExpressionStatement,
  K.VariableStatement,
  K.VariableDeclarationList,
  K.VariableDeclaration,
  K.IfStatement,
  K.Block,
  K.Identifier,
  K.StringLiteral,
  K.NumericLiteral,
  K.CallExpression,
  K.PropertyAccessExpression,
  K.ElementAccessExpression,
  K.ParenthesizedExpression,
  K.BinaryExpression,
  K.PlusToken,
  K.EqualsToken,
  K.EqualsEqualsEqualsToken,
  K.GreaterThanToken,
  K.GreaterThanEqualsToken,
  K.BarBarToken,
  K.AmpersandAmpersandToken,
])
