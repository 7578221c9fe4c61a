import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder, testHome } from '../support/cli.ts'

/** A systemctl that writes down how it was called; `enable` makes the link that the real one makes. */
function withSystemctl() {
  const home = testHome()
  const config = temporaryFolder()
  const bin = join(temporaryFolder(), 'bin')
  const wants = join(config, 'systemd', 'user', 'default.target.wants')
  mkdirSync(bin)
  mkdirSync(wants, { recursive: true })
  const calls = join(bin, 'calls')
  writeFileSync(join(bin, 'systemctl'), `#!/bin/sh\necho "$@" >>'${calls}'\n`, { mode: 0o755 })
  const env = { XDG_CONFIG_HOME: config, PATH: `${bin}:${process.env['PATH']}` }
  const said = (...argv: readonly string[]) => home.fleet(['run', ...argv], { env })
  const doctor = () => {
    const checks = JSON.parse(home.fleet(['doctor', '--json'], { env }).stdout).checks as {
      name: string
      found: string
    }[]
    return checks.filter(({ name }) => name === 'service').map(({ found }) => found)
  }
  return { said, doctor, wants, calls: () => readFileSync(calls, 'utf8').trim().split('\n') }
}

test.skipIf(process.platform !== 'linux')('a service is written after a yes, checked, and removed', () => {
  const { said, doctor, wants, calls } = withSystemctl()
  const printed = said('install', '--print')
  expect(printed).toMatchObject({ code: 0, stdout: expect.stringContaining('KillMode=process') })
  expect(said('install')).toMatchObject({ code: 2, stderr: expect.stringContaining('only when somebody has said yes') })
  expect(doctor()).toEqual([])

  const written = said('install', '--yes')
  expect(written).toMatchObject({ code: 0, stdout: expect.stringContaining('loginctl enable-linger') })
  const path = /Wrote (.*)/.exec(written.stdout)?.[1] ?? ''
  expect(readFileSync(path, 'utf8').trimEnd()).toBe(printed.stdout.trimEnd())
  const name = path.split('/').at(-1) as string
  expect(doctor()).toEqual([`${path} is not enabled`])
  symlinkSync(path, join(wants, name))
  expect(doctor()).toEqual([expect.stringMatching(/starts at login|starts with the machine/)])
  expect(said('install').stdout).toContain(`${path} is as it should be`)
  writeFileSync(path, readFileSync(path, 'utf8').replace(/" "run"/, '-gone" "run"'))
  expect(doctor()).toEqual([expect.stringContaining('which is not there')])

  expect(said('uninstall')).toMatchObject({ code: 0, stdout: expect.stringContaining(`Removed ${path}`) })
  expect(said('uninstall').stdout).toContain('No service is installed')
  expect(calls()).toEqual([
    ...['--user daemon-reload', `--user enable --now ${name}`],
    ...['--user daemon-reload', `--user enable --now ${name}`],
    ...[`--user disable ${name}`, '--user daemon-reload'],
  ])
})
