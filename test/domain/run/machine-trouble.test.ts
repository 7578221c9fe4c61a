import { describe, expect, test } from 'vitest'
import { agentsWithin, openFilesFor } from '../../../src/domain/fleet/open-files.ts'
import { type BeginTrouble, isOfTheMachine } from '../../../src/domain/run/machine-trouble.ts'

const at = (step: BeginTrouble['step'], code: string | undefined, writable = true): boolean =>
  isOfTheMachine({ step, code, homeIsWritable: () => writable })

describe('trouble before the first instruction of an agent', () => {
  for (const code of ['ENOSPC', 'EDQUOT', 'EMFILE', 'ENFILE', 'EAGAIN', 'ENOMEM', 'EROFS', 'EIO', 'ESTALE']) {
    test(`${code} is the machine's`, () => expect(at('files', code)).toBe(true))
  }
  for (const code of ['EACCES', 'EPERM', 'ENOENT', 'ENOTDIR']) {
    test(`${code} is the machine's if no task can have files, and otherwise the task's`, () => {
      expect([at('files', code, false), at('files', code, true)]).toEqual([true, false])
    })
    test(`${code} of the task's own directory is the task's`, () => expect(at('directory', code, false)).toBe(false))
  }
  test('a process that cannot be made is the machine’s, unless its arguments are too long', () => {
    expect([at('process', 'EAGAIN'), at('process', 'EPERM'), at('process', undefined), at('process', 'E2BIG')]).toEqual(
      [true, true, true, false],
    )
  })
  test('anything else is the task’s', () => {
    expect([at('files', 'ELOOP'), at('files', 'EISDIR'), at('files', undefined)]).toEqual([false, false, false])
  })
})

describe('the room that a limit of open files leaves', () => {
  test('is known in both directions', () => {
    for (const agents of [1, 3, 50, 1000]) expect(agentsWithin(openFilesFor(agents))).toBe(agents)
  })
  test('is none below what fleet needs itself, and unbounded without a limit', () => {
    expect([agentsWithin(64), agentsWithin(undefined)]).toEqual([0, Number.POSITIVE_INFINITY])
  })
})
