import { expect, test } from 'vitest'
import { hostsLines, hostsText } from '../../../src/cli/render/hosts.ts'
import { painted } from '../../../src/cli/render/painted.ts'
import { widthOf } from '../../../src/cli/render/width.ts'
import type { Host } from '../../../src/domain/fleet/host.ts'
import type { HostsView } from '../../../src/views/hosts.ts'
import { hostsJson } from '../../../src/views/json/hosts.ts'

const NOW = new Date(2026, 10, 15, 14, 2, 11).getTime()
const BASE: Omit<Host, 'id' | 'name'> = {
  machine: 'box',
  labels: [],
  version: '1.2.3',
  since: NOW - 125_000,
  slots: 3,
  state: 'claiming',
  running: [],
  seen: NOW - 2000,
}
const RUN = { task: 'fleet-a1b', title: 'Fix \u001b[31mit', coder: 'claude', since: NOW - 61_000, phase: 'running' }

const VIEW: HostsView = {
  now: NOW,
  shared: true,
  own: 'fleet-2@box',
  hosts: [
    { ...BASE, id: 'fleet-1@box', name: 'anvil', labels: ['linux', 'gpu'], slots: 8, running: [RUN] },
    { ...BASE, id: 'fleet-2@box', name: 'desk', state: 'draining' },
    { ...BASE, id: 'fleet-3@box', name: 'forge', seen: NOW - 16_000, running: [{ ...RUN, task: 'fleet-c3d' }] },
  ],
}

const shown = (width: number) => painted(hostsLines(VIEW, width), { colour: false }).painted

test('machines and their tasks are shown in tables', () => {
  expect(shown(100)).toBe(`Machines
Name             State                   Agents     Up  Labels     Version  Host
anvil            online                     1/8  2m05s  linux gpu  1.2.3    box
desk (this one)  online, draining           0/3  2m05s  -          1.2.3    box
forge            offline since 14:01:55     1/3      -  -          1.2.3    box

Running
ID         Machine  State      Elapsed  Coder   Title
fleet-a1b  anvil    running      1m01s  claude  Fix it
fleet-c3d  forge    not known        -  claude  Fix it
`)
})

test('the tables are never wider than the terminal', () => {
  for (const width of [10, 20, 40, 60, 80]) {
    const lines = shown(width).split('\n')
    expect(lines.filter((line) => widthOf(line) > width)).toEqual([])
  }
})

test('a queue that is not shared says so, and programs get JSON', () => {
  expect(hostsText({ ...VIEW, hosts: [] })).toBe('No supervisor shares this queue: fleet run starts one.')
  expect(hostsText({ ...VIEW, shared: false, hosts: VIEW.hosts.slice(1, 2) })).toBe(
    'This machine (its queue is not shared with others)\nName\tState\tAgents\tUp\tLabels\tVersion\tHost\ndesk (this one)\tonline, draining\t0/3\t2m05s\t-\t1.2.3\tbox\n\nNothing is running.',
  )
  const at = (millis: number) => `${new Date(millis).toISOString().slice(0, 19)}Z`
  expect(hostsJson({ ...VIEW, hosts: VIEW.hosts.slice(2) })).toEqual({
    schema_version: 1,
    shared: true,
    hosts: [
      {
        id: 'fleet-3@box',
        name: 'forge',
        machine: 'box',
        labels: [],
        version: '1.2.3',
        slots: 3,
        state: 'claiming',
        here: false,
        own: false,
        since: at(BASE.since),
        seen: at(NOW - 16_000),
        running: [{ ...RUN, task: 'fleet-c3d', since: at(RUN.since) }],
      },
    ],
  })
})
