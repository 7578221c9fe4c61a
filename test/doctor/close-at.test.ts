import { expect, test } from 'vitest'
import { check } from '../../src/config/check.ts'
import { checkCloseAt, checkVerify } from '../../src/doctor/close-at.ts'

function configOf(raw: Readonly<Record<string, unknown>>) {
  const checked = check(raw)
  if ('problems' in checked) throw new Error(JSON.stringify(checked.problems))
  return checked.config
}

const checksOf = (raw: Readonly<Record<string, unknown>>) => checkCloseAt(configOf(raw))

test('doctor says why tasks wait for review where verified is asked for without a command, and names the settings', () => {
  const why = 'asks for verified, but there is no verify command for it: such a task waits for your review'
  const projects = { '/a': { close_at: 'verified' }, '/b': { close_at: 'claimed' } }
  expect(checksOf({ close_at: 'verified', projects })).toEqual([
    {
      name: 'close_at',
      state: 'warn',
      found: `close_at, projects."/a".close_at ${why}`,
      todo: `fleet config set 'projects."/a".verify=<command>', or set close_at to evidenced`,
    },
  ])
  expect(checksOf({ projects })).toMatchObject([{ found: `projects."/a".close_at ${why}` }])
})

test('nothing is said of the other levels, nor where there is a command', () => {
  const projects = { '/a': { close_at: 'verified', verify: 'npm test' } }
  expect([checksOf({}), checksOf({ close_at: 'reviewed' }), checksOf({ projects })]).toEqual([[], [], []])
  expect(checksOf({ close_at: 'verified', projects: { '/a': { verify: ['npm test'] } } })).toEqual([])
})

test('doctor names a verify command that cannot be run', () => {
  const projects = { '/a': { verify: ['sh -c true', 'nosuchprogram --all'] } }
  expect(checkVerify(configOf({ projects }), { PATH: process.env['PATH'] })).toEqual([
    {
      name: 'verify',
      state: 'warn',
      found: 'projects."/a".verify cannot be run: nosuchprogram is not on PATH',
      todo: `fleet config set 'projects."/a".verify=…'`,
    },
  ])
})
