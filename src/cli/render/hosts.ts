import { type Host, type HostRun, isOnline } from '../../domain/fleet/host.ts'
import { elapsed, moment } from '../../domain/text/moment.ts'
import { listed } from '../../views/first-few.ts'
import type { HostsView } from '../../views/hosts.ts'
import { UNKNOWN } from './figures.ts'
import type { Line, Span } from './painted.ts'
import { type Section, sectionLines, sectionsText } from './sections.ts'
import type { Column } from './table.ts'

/** For a terminal of this width. */
export function hostsLines(view: HostsView, width: number): Line[] {
  return sectionLines(sectionsOf(view), width)
}

/** For programs and files. */
export function hostsText(view: HostsView): string {
  return sectionsText(sectionsOf(view))
}

function sectionsOf(view: HostsView): Section[] {
  const { hosts, shared, now } = view
  const running = hosts.flatMap((host) => host.running.map((run) => ({ host, run })))
  const machines: Section<Host> = {
    title: shared ? 'Machines' : 'This machine (its queue is not shared with others)',
    columns: machineColumns(view),
    listed: listed(hosts, hosts.length),
    none: shared
      ? 'No supervisor shares this queue: fleet run starts one.'
      : 'The queue of this home is not shared with other machines, and no supervisor is running here.',
  }
  const tasks: Section<HostedRun> = {
    title: 'Running',
    columns: runColumns(now),
    listed: listed(running, running.length),
    none: 'Nothing is running.',
  }
  return (hosts.length === 0 ? [machines] : [machines, tasks]) as unknown as Section[]
}

function machineColumns({ now, own }: HostsView): Column<Host>[] {
  return [
    {
      title: 'Name',
      weight: 9,
      least: 8,
      cell: ({ id, name }) => ({ text: id === own ? `${name} (this one)` : name, style: 'bold' }),
    },
    { title: 'State', weight: 8, cell: (host) => standing(host, now) },
    {
      title: 'Agents',
      weight: 7,
      align: 'right',
      cell: ({ running, slots }) => ({ text: `${running.length}/${slots}` }),
    },
    { title: 'Up', weight: 3, align: 'right', cell: (host) => ({ text: upFor(host, now) }) },
    { title: 'Labels', weight: 6, least: 6, cell: ({ labels }) => ({ text: labels.join(' ') || UNKNOWN }) },
    { title: 'Version', weight: 4, cell: ({ version }) => ({ text: version, style: 'dim' }) },
    { title: 'Host', weight: 2, least: 6, cell: ({ machine }) => ({ text: machine, style: 'dim' }) },
  ]
}

/** `online`, `online, draining`, `offline since 14:02:11` */
function standing(host: Host, now: number): Span {
  if (!isOnline(host, now)) return { text: `offline since ${moment(host.seen, now)}`, style: 'red' }
  if (host.state === 'claiming') return { text: 'online', style: 'green' }
  return { text: `online, ${host.state}`, style: 'yellow' }
}

function upFor(host: Host, now: number): string {
  return isOnline(host, now) ? elapsed(now - host.since) : UNKNOWN
}

interface HostedRun {
  readonly host: Host
  readonly run: HostRun
}

function runColumns(now: number): Column<HostedRun>[] {
  return [
    { title: 'ID', weight: 11, cell: ({ run }) => ({ text: run.task }) },
    { title: 'Machine', weight: 9, least: 8, cell: ({ host }) => ({ text: host.name }) },
    { title: 'State', weight: 6, cell: ({ host, run }) => ({ text: isOnline(host, now) ? run.phase : 'not known' }) },
    {
      title: 'Elapsed',
      weight: 8,
      align: 'right',
      cell: ({ host, run }) => ({ text: isOnline(host, now) ? elapsed(now - run.since) : UNKNOWN }),
    },
    { title: 'Coder', weight: 5, least: 5, cell: ({ run }) => ({ text: run.coder, style: 'dim' }) },
    { title: 'Title', weight: 10, least: 10, cell: ({ run }) => ({ text: run.title }) },
  ]
}
