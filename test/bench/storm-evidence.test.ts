import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { keepingEvidence } from '../../scripts/storm-evidence.mjs'
import { temporaryFolder } from '../support/cli.ts'

test('the homes of a storm that fails are kept, without the files of the server; those of one that passes are not', async () => {
  const [folder, kept] = [temporaryFolder(), temporaryFolder()]
  vi.stubEnv('TMPDIR', kept)
  vi.spyOn(console, 'error').mockImplementation(() => {})
  mkdirSync(join(folder, 'home-0'))
  mkdirSync(join(folder, 'postgres-template'))
  writeFileSync(join(folder, 'home-0', 'fleet.db'), 'its tasks')
  execFileSync('mkfifo', [join(folder, 'home-0', 'pipe')])
  const storm = async () => 'its report'
  expect(await keepingEvidence(folder, { storm, isGood: () => true })).toBe('its report')
  expect(readdirSync(kept)).toEqual([])
  expect(await keepingEvidence(folder, { storm, isGood: () => false })).toBe('its report')
  const fails = async (): Promise<string> => Promise.reject(new Error('it broke off'))
  await expect(keepingEvidence(folder, { storm: fails, isGood: () => true })).rejects.toThrow('it broke off')
  const copies = readdirSync(kept)
  expect(copies).toHaveLength(2)
  for (const copy of copies)
    expect(readdirSync(join(kept, copy), { recursive: true }).sort()).toEqual(['home-0', 'home-0/fleet.db'])
  vi.unstubAllEnvs()
  vi.restoreAllMocks()
})
