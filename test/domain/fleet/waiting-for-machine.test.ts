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
  ['anything that is here', {}, [OWN, ANVIL, AWAY], ['desk', 'anvil'], undefined],
  ['nobody is there, and this one might be', {}, [], [], undefined],
  ['one that is there', { on: 'anvil' }, [OWN, ANVIL], ['anvil'], undefined],
  ['a label, which one has that is there and one that is away', { on: 'gpu' }, [ANVIL, AWAY], ['anvil'], undefined],
  ['one that is away', { on: 'forge' }, [OWN, AWAY], [], { kind: 'machine', on: 'forge', seen: NOW - 60_000 }],
  ['one that never was', { on: 'kiln' }, [OWN, ANVIL], [], { kind: 'machine', on: 'kiln', seen: null }],
  ['this one, which has no supervisor', { on: 'desk' }, [], [], undefined],
  ['a directory that is only elsewhere, perhaps', { place: NOWHERE }, [OWN, ANVIL], ['anvil'], undefined],
  [
    'a directory that this one alone would have to have',
    { place: NOWHERE },
    [OWN],
    [],
    { kind: 'directory', cwd: '/src' },
  ],
  ['the same, asked for', { on: 'desk', place: NOWHERE }, [OWN, ANVIL], [], { kind: 'directory', cwd: '/src' }],
])('who could take a task that asks for %s', (_, { on, place = HERE }, hosts, able, wait) => {
  const machines = machinesFor({ on, place }, { hosts, own: OWN, now: NOW })
  expect([machines.able.map(({ name }) => name), machines.wait]).toEqual([able, wait])
})
