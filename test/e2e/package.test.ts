import { existsSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { run, temporaryFolder } from '../support/cli.ts'

const root = resolve(import.meta.dirname, '../..')
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
const wantedNode = process.env['FLEET_TEST_NODE']

test.skipIf(wantedNode === undefined)(
  'these tests, and the programs they start, run on the Node that was asked for',
  () => {
    expect(process.version).toBe(wantedNode)
    expect(run('node', ['--version']).stdout.trim()).toBe(wantedNode)
  },
)

/** A PATH with what npm itself needs, and no compiler, make or Python. */
function pathWithoutCompiler(): string {
  const folder = temporaryFolder()
  for (const name of ['node', 'npm', 'env', 'sh']) {
    symlinkSync(run('sh', ['-c', `command -v ${name}`]).stdout.trim(), join(folder, name))
  }
  return folder
}

const WAYS: readonly { readonly how: string; readonly flags: readonly string[]; readonly path?: () => string }[] = [
  { how: 'without scripts', flags: ['--ignore-scripts'] },
  { how: 'with scripts, where there is no compiler', flags: ['--ignore-scripts=false'], path: pathWithoutCompiler },
]

test.each(WAYS)(
  'the packed package installs globally into a clean prefix, $how, and runs from any directory',
  {
    timeout: 300_000,
  },
  ({ flags, path }) => {
    const folder = temporaryFolder()
    // npm fetches the driver: it needs the certificates of this machine, which fleet's own commands are run without.
    const { NODE_EXTRA_CA_CERTS: certificates } = process.env
    const env = { ...(certificates && { NODE_EXTRA_CA_CERTS: certificates }), ...(path && { PATH: path() }) }
    const npm = (...args: string[]) =>
      run('npm', [...args, '--loglevel=error', '--no-audit', '--no-fund'], { cwd: root, env })
    // test/support/build.ts has built it already; packing must not race with tests that use the build.
    expect(npm('pack', '--ignore-scripts', '--pack-destination', folder).code).toBe(0)
    const [tarball] = readdirSync(folder).filter((name) => name.endsWith('.tgz'))
    const prefix = join(folder, 'prefix')
    const installed = npm('install', ...flags, '--global', '--prefix', prefix, join(folder, String(tarball)))
    expect(installed.stderr).not.toMatch(/error/i)
    expect(installed.code).toBe(0)

    const fleet = (...args: string[]) =>
      run(join(prefix, 'bin', 'fleet'), args, { cwd: folder, env: { FLEET_HOME: join(folder, 'home') } })
    expect(fleet('--version')).toEqual({ code: 0, stdout: `fleet ${version}\n`, stderr: '' })
    expect(fleet('init').code).toBe(0)
    expect(fleet('ready', '--json')).toEqual({ code: 0, stdout: '[]\n', stderr: '' })

    const place = join(prefix, 'lib', 'node_modules', 'fleet')
    expect(existsSync(join(place, 'LICENSE'))).toBe(true)
    expect(readFileSync(join(place, 'dist', 'THIRD_PARTY_LICENSES'), 'utf8')).toBe(
      readFileSync(join(root, 'dist', 'THIRD_PARTY_LICENSES'), 'utf8'),
    )
    // A compiler would have left a folder of its own; the driver's binaries come with its package.
    expect(existsSync(join(place, 'node_modules', '@photostructure', 'sqlite', 'build'))).toBe(false)
  },
)
