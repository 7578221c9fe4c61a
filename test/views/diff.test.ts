import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readDiff } from '../../src/views/diff.ts'
import { temporaryFolder } from '../support/cli.ts'

/** A checkout without a commit, and the folder of an attempt that began there. */
function checkout(files: Readonly<Record<string, string>>): { root: string; attempt: string } {
  const folder = temporaryFolder()
  const [root, attempt] = [join(folder, 'project'), join(folder, 'attempt')]
  for (const each of [root, attempt]) mkdirSync(each)
  execFileSync('git', ['init', '-q'], { cwd: root })
  writeFileSync(join(attempt, 'launch.json'), JSON.stringify({ base: { kind: 'git', root, head: null } }))
  for (const [name, text] of Object.entries(files)) writeFileSync(join(root, name), text)
  return { root, attempt }
}

test('a new file whose name is a hyphen is shown with its content', async () => {
  const { attempt } = checkout({ '-': 'text\n', '--help': 'help\n' })
  let text = ''
  const take = (bytes: Uint8Array): void => {
    text += Buffer.from(bytes).toString()
  }
  const { newFiles, leftOut } = await readDiff(
    { folder: attempt, launch: undefined, own: undefined },
    { env: process.env, take },
  )
  expect({ newFiles, leftOut }).toEqual({ newFiles: ['-', '--help'], leftOut: [] })
  expect(text).toContain('+text\n')
  expect(text).toContain('+help\n')
})

test('a new file that is gone when its turn comes is left out, and the others are shown', async () => {
  const { root, attempt } = checkout({ 'a.txt': 'a\n', 'b.txt': 'b\n', 'c.txt': '' })
  let text = ''
  const take = (bytes: Uint8Array): void => {
    text += Buffer.from(bytes).toString()
    rmSync(join(root, 'b.txt'), { force: true })
  }
  const { newFiles, leftOut } = await readDiff(
    { folder: attempt, launch: undefined, own: undefined },
    { env: process.env, take },
  )
  expect({ newFiles, leftOut }).toEqual({ newFiles: ['a.txt', 'b.txt', 'c.txt'], leftOut: ['b.txt'] })
  expect(text).toContain('+a\n')
  expect(text).toContain('b/c.txt\n')
})
