import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { agentEnvironment, inheritedEnvironment } from '../../../src/domain/agent/environment.ts'
import { findProgram } from '../../../src/platform/process/program.ts'
import { completeSearchPath } from '../../../src/platform/process/search-path.ts'
import { temporaryFolder } from '../../support/cli.ts'

/** A Mac with Homebrew in the first of two usual folders, and claude in it. */
function mac() {
  const base = temporaryFolder()
  const folders = [join(base, 'homebrew'), join(base, 'local')]
  mkdirSync(folders[0] as string)
  const claude = join(folders[0] as string, 'claude')
  writeFileSync(claude, '', { mode: 0o755 })
  return { options: { platform: 'darwin', folders } as const, homebrew: folders[0] as string, claude }
}

test("on macOS Homebrew's folder is added to the short PATH of launchd, for the lookup and for agents", () => {
  const { options, homebrew, claude } = mac()
  const env: NodeJS.ProcessEnv = { PATH: '/usr/bin:/bin' }
  expect(findProgram('claude', env)).toBeUndefined()
  completeSearchPath(env, options)
  expect(env).toEqual({ PATH: `/usr/bin:/bin:${homebrew}` })
  expect(findProgram('claude', env)).toBe(claude)
  const place = { home: '/h', taskId: 't', taskDir: '/h/t', artifactDir: '/h/t/a', runId: 'r', tmp: '/t', extra: {} }
  const agent = agentEnvironment(
    inheritedEnvironment(env, () => undefined),
    { ...place, binFolder: '/h/bin' },
  )
  expect(agent['PATH']).toBe(`/h/bin:/usr/bin:/bin:${homebrew}`)
})

test.each([
  ['it is there already', (homebrew: string) => `${homebrew}:/bin`, (homebrew: string) => `${homebrew}:/bin`],
  ['PATH is empty', () => '', (homebrew: string) => `/usr/bin:/bin:/usr/sbin:/sbin:${homebrew}`],
])('once only, and in its place, when %s', (_, before, after) => {
  const { options, homebrew } = mac()
  const env: NodeJS.ProcessEnv = { PATH: before(homebrew) }
  for (let times = 0; times < 2; times++) completeSearchPath(env, options)
  expect(env).toEqual({ PATH: after(homebrew) })
})

test('elsewhere PATH stays as it is', () => {
  const { options } = mac()
  const env: NodeJS.ProcessEnv = { PATH: '/usr/bin' }
  completeSearchPath(env, { ...options, platform: 'linux' })
  expect(env).toEqual({ PATH: '/usr/bin' })
})
