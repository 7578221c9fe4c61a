import { closeSync, openSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { descriptorLook, onlyWrites } from '../../../src/platform/process/open-files.ts'
import { processTable } from '../../../src/platform/process/process-table.ts'
import { temporaryFolder } from '../../support/cli.ts'

/** Only /proc shows what a process has open. */
const telling = processTable().kind === 'proc'

test.runIf(telling)('descriptors are known by their links, also those of a file that is gone', () => {
  const path = join(temporaryFolder(), 'file')
  writeFileSync(path, '')
  const [read, write] = [opened(path, 'r'), opened(path, 'a')]
  rmSync(path)
  const own = descriptorLook()(process.pid)?.filter(({ file }) => file.startsWith(path)) ?? []
  const file = `${path} (deleted)`
  expect(own).toEqual([read, write].map((fd) => ({ path: `/proc/${process.pid}/fd/${fd}`, file })))
  expect(own.map(onlyWrites)).toEqual([false, true])
})

test.runIf(telling)(
  'of a process with more descriptors than are looked at nothing is told, nor beyond the bound of one look',
  () => {
    expect(descriptorLook({ ofOne: 2 })(process.pid)).toBe(undefined)
    const look = descriptorLook({ ofAll: 2 })
    expect([look(process.pid), look(process.ppid)]).toEqual([undefined, undefined])
  },
)

test.runIf(telling)('a process that is gone has none open', () => {
  expect(descriptorLook()(2 ** 22 + 1)).toEqual([])
})

function opened(path: string, flags: string): number {
  const fd = openSync(path, flags)
  onTestFinished(() => closeSync(fd))
  return fd
}
