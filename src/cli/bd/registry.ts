import type { BdCommand } from './command.ts'

export interface Loader {
  /** The command's name first, then its aliases. */
  readonly names: readonly string[]
  readonly load: () => Promise<BdCommand>
}

/** Every command that fleet serves; each is its own chunk, loaded when it is called. */
export const COMMANDS: readonly Loader[] = [
  { names: ['blocked'], load: async () => (await import('./blocked.ts')).blocked },
  { names: ['close'], load: async () => (await import('./close.ts')).close },
  { names: ['count'], load: async () => (await import('./count.ts')).count },
  { names: ['create', 'new'], load: async () => (await import('./create.ts')).create },
  { names: ['delete'], load: async () => (await import('./delete.ts')).remove },
  { names: ['done'], load: async () => (await import('./close.ts')).done },
  { names: ['list'], load: async () => (await import('./list.ts')).list },
  { names: ['q'], load: async () => (await import('./quick.ts')).quick },
  { names: ['ready'], load: async () => (await import('./ready.ts')).ready },
  { names: ['reopen'], load: async () => (await import('./reopen.ts')).reopen },
  { names: ['search'], load: async () => (await import('./search.ts')).search },
  { names: ['show', 'view'], load: async () => (await import('./show.ts')).show },
  { names: ['status', 'stats'], load: async () => (await import('./status.ts')).status },
  { names: ['update'], load: async () => (await import('./update.ts')).update },
  { names: ['version'], load: async () => (await import('./version.ts')).version },
  { names: ['where'], load: async () => (await import('./where.ts')).where },
]

/** Commands of bd that fleet does not serve on its own queues, each with what to do instead. */
export const NOT_SERVED: Readonly<Record<string, string>> = {
  note: 'not served yet; use fleet bd update <id> --append-notes',
  assign: 'not served yet; use fleet bd update <id> --assignee <name>',
  query: 'not served yet; use fleet bd list with filters',
  stale: 'not served yet; use fleet bd list --updated-before',
  children: 'not served yet; use fleet bd list --parent <id> --all',
  epic: 'not served yet; use fleet bd list --type epic',
  defer: 'not served yet; use fleet bd update <id> --defer <time>',
  undefer: 'not served yet; use fleet bd update <id> --status open --defer ""',
  history: 'not served yet; use fleet show <id>',
  prime: 'not served yet',
  ping: 'not served yet; use fleet doctor',
  dolt: 'the local queue has no Dolt remote; use fleet bd export and import, or a beads queue',
  sync: 'the local queue has no Dolt remote; use fleet bd export and import, or a beads queue',
  init: 'use fleet init',
  doctor: 'use fleet doctor',
}
