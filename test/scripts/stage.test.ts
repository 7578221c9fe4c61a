import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { performStage } from '../../scripts/stage.mjs'
import { temporaryFolder } from '../support/cli.ts'

const sh = (name: string, script: string) => ({ name, argv: ['sh', '-c', script] })

test('steps of one stage run at the same time, and each hands over all it printed when it ends', async () => {
  const folder = temporaryFolder()
  // Each waits for the other.
  const meets = (mine: string, other: string) =>
    sh(
      mine,
      `cd '${folder}'; echo ${mine} begins; : >${mine}; until [ -e ${other} ]; do sleep 0.02; done; echo it ends`,
    )
  const ended: unknown[] = []
  const steps = [meets('one', 'two'), meets('two', 'one'), sh('three', 'echo an error >&2')]
  await performStage(steps, ({ name }, result) => ended.push({ name, ...result }))
  expect(ended).toHaveLength(3)
  for (const name of ['one', 'two'])
    expect(ended).toContainEqual({ name, status: 0, output: `${name} begins\nit ends\n` })
  expect(ended).toContainEqual({ name: 'three', status: 0, output: 'an error\n' })
})

test('a failure stops the steps beside it, which are not reported', async () => {
  const began = join(temporaryFolder(), 'began')
  const endless = sh('endless', `: >'${began}'; exec sleep 600`)
  const failing = sh('failing', `until [ -e '${began}' ]; do sleep 0.02; done; exit 3`)
  const ended: unknown[] = []
  const performed = performStage([endless, failing], ({ name }, { status }) => {
    ended.push({ name, status })
    if (status !== 0) throw new Error(`${name} failed`)
  })
  await expect(performed).rejects.toThrow('failing failed')
  expect(existsSync(began)).toBe(true)
  expect(ended).toEqual([{ name: 'failing', status: 3 }])
})

test('a program that is not there fails the stage', async () => {
  const steps = [{ name: 'none', argv: ['/nowhere/none'] }, sh('endless', 'exec sleep 600')]
  await expect(performStage(steps, () => undefined)).rejects.toThrow('ENOENT')
})
