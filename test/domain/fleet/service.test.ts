import { spawnSync } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import {
  commandsFor,
  programIn,
  type Service,
  type ServiceFacts,
  serviceOf,
  serviceText,
  unusablePath,
} from '../../../src/domain/fleet/service.ts'
import { temporaryFolder } from '../../support/cli.ts'

const PLACE = { home: '/home/ann/.fleet', usualHome: '/home/ann/.fleet', userHome: '/home/ann', config: undefined }
const SYSTEMD = serviceOf({ ...PLACE, platform: 'linux' }) as Service
const LAUNCHD = serviceOf({ ...PLACE, platform: 'darwin' }) as Service
const FACTS: ServiceFacts = {
  node: '/opt/node/bin/node',
  fleet: '/opt/fleet/cli.cjs',
  home: '/home/ann/.fleet',
  path: '/usr/bin:~/bin:bin::/bin:/usr/bin',
  output: '/home/ann/.fleet/logging/supervisor.out',
}
/** Each sign means something to one of the two managers. */
const ODD = { ...FACTS, node: '/opt/a b/50%$HOME/"q"/no\\de', fleet: "/opt/<x>&'y'/fleet", path: '/opt/100% &/bin' }

describe('a service', () => {
  test('stands in the folder of the user, under a name of its own for each home', () => {
    expect([SYSTEMD, LAUNCHD]).toEqual([
      { kind: 'systemd', name: 'fleet.service', path: '/home/ann/.config/systemd/user/fleet.service' },
      {
        ...{ kind: 'launchd', name: 'dev.fleet.supervisor' },
        path: '/home/ann/Library/LaunchAgents/dev.fleet.supervisor.plist',
      },
    ])
    const other = serviceOf({ ...PLACE, home: '/srv/fleet', config: '/cfg', platform: 'linux' })
    expect(other?.path).toMatch(/^\/cfg\/systemd\/user\/fleet-[0-9a-f]{8}\.service$/)
    expect(serviceOf({ ...PLACE, platform: 'win32' })).toBeUndefined()
  })

  test.each([SYSTEMD, LAUNCHD])('of $kind names absolute folders alone: nothing expands ~', (service) => {
    const text = serviceText(service, FACTS)
    expect(text).toContain('/usr/bin:/bin')
    expect(text).not.toMatch(/~\/|:bin/)
  })

  test.each([SYSTEMD, LAUNCHD])(
    'of $kind says which programs it starts, whatever signs are in their paths',
    (service) => {
      for (const facts of [FACTS, ODD]) {
        const { node, fleet } = facts
        expect(programIn(service, serviceText(service, facts))).toEqual({ node, fleet })
      }
      expect(programIn(service, 'something else')).toBeUndefined()
    },
  )

  test('takes no agent along when it ends, and starts again unless it was stopped', () => {
    expect(serviceText(SYSTEMD, FACTS)).toMatch(/^KillMode=process\nRestart=on-failure$/m)
    const plist = serviceText(LAUNCHD, FACTS)
    expect(plist).toMatch(/<key>AbandonProcessGroup<\/key>\s*<true\/>/)
    expect(plist).toMatch(/<key>KeepAlive<\/key>\s*<dict>\s*<key>SuccessfulExit<\/key>\s*<false\/>/)
  })

  test('names no path that a line cannot hold', () => {
    expect([unusablePath(['/a', '/b\n[Service]']), unusablePath(['a']), unusablePath(['/a b'])]).toEqual([
      ...['/b\n[Service]', 'a', undefined],
    ])
  })

  test('is switched on beside a supervisor that runs already, and starts it where none does', () => {
    const on = (isRunning: boolean) => commandsFor(SYSTEMD, { uid: 1000, isRunning }).install.at(-1)?.join(' ')
    expect([on(true), on(false)]).toEqual([
      'systemctl --user enable fleet.service',
      'systemctl --user enable --now fleet.service',
    ])
  })
})

const ANALYZE = '/usr/bin/systemd-analyze'

test.skipIf(!existsSync(ANALYZE))('systemd finds nothing wrong with the unit', () => {
  const path = join(temporaryFolder(), 'fleet.service')
  writeFileSync(path, serviceText(SYSTEMD, { ...ODD, node: '/bin/sh' }))
  const run = spawnSync(ANALYZE, ['verify', '--man=no', path], { encoding: 'utf8' })
  expect((run.stdout + run.stderr).split('\n').filter((line) => line.includes('fleet.service'))).toEqual([])
})

test('the tags of the plist are closed in order', () => {
  const open: string[] = []
  for (const [, slash, name = '', self] of serviceText(LAUNCHD, ODD).matchAll(/<(\/?)([a-z]+)[^<>]*?(\/?)>/g)) {
    if (slash === '/') expect(open.pop()).toBe(name)
    else if (self !== '/') open.push(name)
  }
  expect(open).toEqual([])
})
