import { expect, test } from 'vitest'
import { toolFacts } from '../../../src/coders/shared/tool-facts.ts'

const PATCH =
  '*** Begin Patch\n*** Add File: new.txt\n+x\n*** Update File: a b.txt\n*** Move to: c.txt\n*** Delete File: d.txt\n'

test('an edit names the files that it writes, however its coder calls the parameter', () => {
  const named = ['file_path', 'filePath', 'notebook_path', 'absolute_path', 'TargetFile'].map((name) =>
    toolFacts('edit', { [name]: 'a.txt', content: 'x' }),
  )
  expect(new Set(named.map((each) => JSON.stringify(each)))).toEqual(new Set([JSON.stringify({ paths: ['a.txt'] })]))
  expect(toolFacts('edit', { patchText: PATCH })).toEqual({ paths: ['new.txt', 'a b.txt', 'c.txt', 'd.txt'] })
})

test('reads and commands name no file, and only a word to fleet is marked', () => {
  expect(toolFacts('read', { file_path: 'a.txt' })).toBeUndefined()
  expect(toolFacts('shell', { command: 'echo >a.txt' })).toBeUndefined()
  expect(toolFacts('shell', { command: 'fleet done "x"' })).toEqual({ toFleet: true })
})

test('the directory of a command is no part of the command', () => {
  expect(toolFacts('shell', { command: 'rm -rf .', workdir: '/tmp/work' })).toEqual({ cwd: '/tmp/work' })
  expect(toolFacts('shell', { CommandLine: 'a\nb', Cwd: '/p' })).toEqual({ command: 'a\nb', cwd: '/p' })
})

test('paths are bounded in number and length', () => {
  const many = Array.from({ length: 300 }, (_, n) => `*** Add File: ${n}`).join('\n')
  expect(toolFacts('edit', { patchText: many })?.paths).toHaveLength(100)
  expect(toolFacts('edit', { file_path: 'x'.repeat(5000) })).toBeUndefined()
})
