import { expect, test } from 'vitest'
import type { Host } from '../../../src/domain/fleet/host.ts'
import type { Place } from '../../../src/domain/fleet/place.ts'
import { type MachineWait, machinesFor } from '../../../src/domain/fleet/waiting-for-machine.ts'

const NOW = 1_000_000
const HERE: Place = { kind: 'here', cwd: '/src' }
const NOWHERE: Place = { kind: 'nowhere', cwd: '/src' }

function host(name: string, more: Partial<Host> = {}): Host {
  return {
    id: `fleet-${name}`,
    name,
    machine: 'box',
    labels: [],
    version: '1',
    since: 0,
    slots: 3,
    state: 'claiming',
    running: [],
    seen: NOW - 1000,
    ...more,
  }
}

const OWN = host('desk', { machine: 'desk-box' })
const ANVIL = host('anvil', { labels: ['gpu'] })
const AWAY = host('forge', { labels: ['gpu'], seen: NOW - 60_000 })

test.each<[string, { on?: string; place?: Place }, readonly Host[], readonly string[], MachineWait | undefined]>([
  ['no machine: every machine that is here', {}, [OWN, ANVIL, AWAY], ['desk', 'anvil'], undefined],
  ['no machine, with none here: perhaps this one, later', {}, [], [], undefined],
  ['a machine that is here', { on: 'anvil' }, [OWN, ANVIL], ['anvil'], undefined],
  ['a label of one machine that is here and one that is away', { on: 'gpu' }, [ANVIL, AWAY], ['anvil'], undefined],
  ['a machine that is away', { on: 'forge' }, [OWN, AWAY], [], { kind: 'machine', on: 'forge', seen: NOW - 60_000 }],
  ['a machine that was never seen', { on: 'kiln' }, [OWN, ANVIL], [], { kind: 'machine', on: 'kiln', seen: null }],
  ['this machine, which has no supervisor', { on: 'desk' }, [], [], undefined],
  [
    'a directory that is missing here: perhaps another machine has it',
    { place: NOWHERE },
    [OWN, ANVIL],
    ['anvil'],
    undefined,
  ],
  [
    'a directory that is missing on the only machine',
    { place: NOWHERE },
    [OWN],
    [],
    { kind: 'directory', cwd: '/src' },
  ],
  [
    'this machine, where the directory is missing',
    { on: 'desk', place: NOWHERE },
    [OWN, ANVIL],
    [],
    { kind: 'directory', cwd: '/src' },
  ],
])('the machines for a task that asks for %s', (_, { on, place = HERE }, hosts, able, wait) => {
  const machines = machinesFor({ on, place }, { hosts, own: OWN, now: NOW })
  expect([machines.able.map(({ name }) => name), machines.wait]).toEqual([able, wait])
})
