import { writeFileSync } from 'node:fs'
import { totalmem } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { availableIn, macMemory } from '../../../src/platform/runtime/mac-memory.ts'
import { temporaryFolder } from '../../support/cli.ts'

/** In the form that Apple's manual page and its source document; not recorded on a Mac. */
const SAMPLE = `Mach Virtual Memory Statistics: (page size of 16384 bytes)
Pages free:                               12345.
Pages active:                            234567.
Pages inactive:                          200000.
Pages speculative:                         1000.
Pages throttled:                              0.
Pages wired down:                        100000.
Pages purgeable:                           2000.
"Translation faults":                 123456789.
Pages copy-on-write:                    4567890.
Pages zero filled:                     98765432.
Pages reactivated:                       345678.
Pages purged:                            234567.
File-backed pages:                       150000.
Anonymous pages:                         250000.
Pages stored in compressor:              300000.
Pages occupied by compressor:            100000.
Decompressions:                         1234567.
Compressions:                           2345678.
Pageins:                                3456789.
Pageouts:                                 12345.
Swapins:                                      0.
Swapouts:                                     0.
`

/** A program that prints this and exits so. */
function program(text: string, code = 0): string {
  const folder = temporaryFolder()
  writeFileSync(join(folder, 'text'), text)
  writeFileSync(join(folder, 'vm_stat'), `#!/bin/sh\ncat '${join(folder, 'text')}'\nexit ${code}\n`, { mode: 0o755 })
  return join(folder, 'vm_stat')
}

test('free, inactive and speculative pages are available', () => {
  expect(availableIn(SAMPLE)).toBe((12345 + 200000 + 1000) * 16384)
})

test('an output without speculative pages is read, as older systems print it', () => {
  expect(availableIn(SAMPLE.replace(/^Pages speculative.*\n/m, ''))).toBe((12345 + 200000) * 16384)
})

test('any numbers in this form are read, and any other text gives nothing or a safe number', () => {
  const pages = fc.nat({ max: 2 ** 30 })
  fc.assert(
    fc.property(fc.constantFrom(4096, 16384), pages, pages, pages, (size, free, inactive, speculative) => {
      const text = SAMPLE.replace('16384', String(size))
        .replace('12345.', `${free}.`)
        .replace('200000.', `${inactive}.`)
        .replace(' 1000.', ` ${speculative}.`)
      expect(availableIn(text)).toBe((free + inactive + speculative) * size)
    }),
  )
  const cut = fc.tuple(fc.nat({ max: SAMPLE.length }), fc.nat({ max: SAMPLE.length }), fc.string())
  fc.assert(
    fc.property(cut, ([from, to, between]) => {
      const found = availableIn(SAMPLE.slice(0, from) + between + SAMPLE.slice(to))
      expect(found === undefined || Number.isSafeInteger(found)).toBe(true)
    }),
  )
})

test('the program is asked; no more than the machine has is available, and a failure says nothing', () => {
  expect(macMemory(program(SAMPLE.replace('12345.', '0.').replace('200000.', '10.').replace(' 1000.', ' 0.')))).toBe(
    163_840,
  )
  expect(macMemory(program(SAMPLE.replace('200000.', '9999999999.')))).toBe(totalmem())
  expect(macMemory(program(SAMPLE, 1))).toBeUndefined()
  expect(macMemory(program('nothing of the kind'))).toBeUndefined()
  expect(macMemory('/nowhere/vm_stat')).toBeUndefined()
})
