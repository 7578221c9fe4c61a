import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { run, temporaryFolder } from '../support/cli.ts'

const root = resolve(import.meta.dirname, '../..')
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }

test('the packed package installs globally into a clean prefix and runs from any directory', {
  timeout: 300_000,
}, () => {
  const folder = temporaryFolder()
  const npm = (...args: string[]) => run('npm', [...args, '--loglevel=error', '--no-audit', '--no-fund'], { cwd: root })
  // test/support/build.ts has built it already; packing must not race with tests that use the build.
  expect(npm('pack', '--pack-destination', folder, '--ignore-scripts').code).toBe(0)
  const [tarball] = readdirSync(folder).filter((name) => name.endsWith('.tgz'))
  const prefix = join(folder, 'prefix')
  const installed = npm('install', '--global', '--prefix', prefix, join(folder, String(tarball)))
  expect(installed.stderr).not.toMatch(/error/i)
  expect(installed.code).toBe(0)

  const fleet = (...args: string[]) =>
    run(join(prefix, 'bin', 'fleet'), args, { cwd: folder, env: { FLEET_HOME: join(folder, 'home') } })
  expect(fleet('--version')).toEqual({ code: 0, stdout: `fleet ${version}\n`, stderr: '' })
  expect(fleet('init').code).toBe(0)
  expect(fleet('ready', '--json')).toEqual({ code: 0, stdout: '[]\n', stderr: '' })
})
