import { createHash } from 'node:crypto'
import {
  appendFileSync,
  closeSync,
  openSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { openTail, type Tail } from '../../../src/platform/files/tail.ts'
import { run, temporaryFolder } from '../../support/cli.ts'

const CAP = 256 * 1024
const sha256 = (bytes: string | Buffer): string => createHash('sha256').update(bytes).digest('hex')

function growing(content: string | Buffer = ''): { path: string; tail: Tail } {
  const path = join(temporaryFolder(), 'stdout.jsonl')
  writeFileSync(path, content)
  const tail = openTail(path)
  if (tail === undefined) throw new Error('there is a file')
  return { path, tail }
}

/** The text of one read. */
function next(tail: Tail): [string, unknown] {
  let text = ''
  const read = tail.read((bytes) => {
    text += bytes.toString('latin1')
  })
  return [text, read]
}

test('a file is read as it grows, and hashed as it is read', () => {
  const { path, tail } = growing('one\ntw')
  using _ = tail
  expect(next(tail)).toEqual(['one\ntw', { kind: 'read', bytes: 6, more: false }])
  expect(next(tail)).toEqual(['', { kind: 'read', bytes: 0, more: false }])
  appendFileSync(path, 'o\n')
  expect(next(tail)).toEqual(['o\n', { kind: 'read', bytes: 2, more: false }])
  expect([tail.offset, tail.hash()]).toEqual([8, sha256('one\ntwo\n')])
  appendFileSync(path, 'three\n')
  next(tail)
  expect(tail.hash()).toBe(sha256('one\ntwo\nthree\n'))
})

test('another file in its place is noticed by the one read that reads all there is', () => {
  const { path, tail } = growing()
  using _ = tail
  const fd = openSync(path, 'a')
  writeFileSync(`${path}.other`, '')
  renameSync(`${path}.other`, path)
  writeSync(fd, 'all of it\n')
  closeSync(fd)
  expect(next(tail)).toEqual(['', { kind: 'altered' }])
})

test('a flood of output is read in parts, so that other runs get their turn', () => {
  const flood = growing(Buffer.alloc(3 * CAP, 'x'))
  const quiet = growing('hello\n')
  using _flood = flood.tail
  using _quiet = quiet.tail
  const bytes = [flood, quiet, flood, quiet, flood, flood].map(({ tail }) => tail.read(() => {}))
  expect(bytes).toEqual([
    { kind: 'read', bytes: CAP, more: true },
    { kind: 'read', bytes: 6, more: false },
    { kind: 'read', bytes: CAP, more: true },
    { kind: 'read', bytes: 0, more: false },
    { kind: 'read', bytes: CAP, more: true },
    { kind: 'read', bytes: 0, more: false },
  ])
  expect(flood.tail.hash()).toBe(sha256(Buffer.alloc(3 * CAP, 'x')))
})

test('a file that shrank, was replaced or removed stays altered', () => {
  const changes: ((path: string) => void)[] = [
    (path) => truncateSync(path, 2),
    (path) => rmSync(path),
    (path) => {
      writeFileSync(`${path}.new`, 'something longer than before\n')
      renameSync(`${path}.new`, path)
    },
  ]
  for (const change of changes) {
    const { path, tail } = growing('one\n')
    using _ = tail
    next(tail)
    change(path)
    expect(next(tail)).toEqual(['', { kind: 'altered' }])
    writeFileSync(path, 'one\ntwo\n')
    expect(next(tail)).toEqual(['', { kind: 'altered' }])
    expect([tail.offset, tail.hash()]).toEqual([4, sha256('one\n')])
  }
})

test('a path that is not an output file gives nothing and does not block', () => {
  const folder = temporaryFolder()
  expect(openTail(join(folder, 'nothing'))).toBeUndefined()
  run('mkfifo', [join(folder, 'pipe')])
  symlinkSync('/etc/passwd', join(folder, 'link'))
  writeFileSync(join(folder, 'file'), 'x\n')
  for (const name of ['pipe', 'link', 'file/in-the-place-of-its-folder']) {
    using tail = openTail(join(folder, name))
    expect(tail?.read(() => {})).toEqual({ kind: 'altered' })
  }
})

test('a closed tail reads nothing more, and may be closed again', () => {
  const { tail } = growing('one\n')
  tail.close()
  tail.close()
  expect(next(tail)).toEqual(['', { kind: 'read', bytes: 0, more: false }])
})

test('the bytes read are the bytes written, however they are split', () => {
  const parts = fc.array(fc.uint8Array({ maxLength: 2000 }), { maxLength: 20 })
  fc.assert(
    fc.property(parts, (chunks) => {
      const { path, tail } = growing()
      using _ = tail
      const read: Buffer[] = []
      for (const chunk of chunks) {
        appendFileSync(path, chunk)
        tail.read((bytes) => read.push(Buffer.from(bytes)))
      }
      expect(Buffer.concat(read)).toEqual(Buffer.concat(chunks))
      expect(tail.hash()).toBe(sha256(Buffer.concat(chunks)))
    }),
    { numRuns: 30 },
  )
})
