import { expect, test } from 'vitest'
import { CannotLook, type LookingGit } from '../../src/platform/git/look.ts'
import { patient } from '../../src/platform/git/patient.ts'
import type { Execution } from '../../src/platform/process/exec.ts'
import { dirtyPaths } from '../../src/workspace/dirty-paths.ts'
import { inPlace } from '../../src/workspace/in-place.ts'
import { project } from '../support/project.ts'

const ENDED: Execution = { kind: 'ended', code: 0, out: Buffer.from('done\n'), err: '' }

/** A git that prints `text`, a byte at a time, if it has this long. */
const slow =
  (neededMs: number, text = ''): LookingGit =>
  async (_, { timeoutMs = 0, take } = {}) => {
    for (const byte of Buffer.from(text)) take?.(Uint8Array.of(byte))
    return timeoutMs < neededMs ? { kind: 'timed-out', afterMs: timeoutMs } : ENDED
  }

const STATUS = [
  '# branch.oid 1234567890abcdef1234567890abcdef12345678',
  '# branch.head main',
  '1 .M N... 100644 100644 100755 1111111 1111111 kept ü.txt',
  '2 R. N... 100644 100644 100644 1111111 1111111 R100 new name.txt',
  '? old name.txt',
  '! left out',
  '? a\nb.txt',
]

test('a status that takes long is waited for, read anew, and told in whole, however it comes in pieces', async () => {
  expect(await dirtyPaths(slow(120_000, STATUS.map((record) => `${record}\0`).join('')), '/nowhere')).toEqual({
    head: '1234567890abcdef1234567890abcdef12345678',
    paths: [
      { path: 'kept ü.txt', tracked: true, submodule: 'N...', sinceHead: { isNew: false, hasOtherMode: true } },
      { path: 'new name.txt', tracked: true, submodule: 'N...' },
      { path: 'a\nb.txt', tracked: false, submodule: '' },
    ],
  })
})

test('a git that does not end says nothing about a checkout: the caller tries again later', async () => {
  expect(await patient(slow(120_000))(['log'])).toEqual(ENDED)
  await expect(patient(slow(10_000_000))(['log'])).rejects.toThrow(CannotLook)
  await expect(dirtyPaths(slow(10_000_000), '/nowhere')).rejects.toThrow('git status took longer than 10 minutes')
})

test('looks that are made together see the files as the first one did; others see them as they are', async () => {
  const { path, write } = project('git')
  const base = await inPlace.base(path, '/nowhere')
  const order = { since: Date.now(), artifacts: '/nowhere', home: '/nowhere' }
  const together = {}
  const files = async (more: { together?: object }) =>
    (await inPlace.changes(base, { ...order, ...more })).files.map((file) => file.path)
  write('one.txt', 'one\n')
  expect(await files({ together })).toEqual(['one.txt'])
  write('two.txt', 'two\n')
  expect([await files({ together }), await files({ together: {} })]).toEqual([['one.txt'], ['one.txt', 'two.txt']])
})
