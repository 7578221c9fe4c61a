import type { BdCommand } from './command.ts'

export interface Loader {
  /** The command's name first, then its aliases. */
  readonly names: readonly string[]
  readonly load: () => Promise<BdCommand>
}

/** Every command that fleet serves; each is its own chunk, loaded when it is called. */
export const COMMANDS: readonly Loader[] = [
  { names: ['where'], load: async () => (await import('./where.ts')).where },
  { names: ['create', 'new'], load: async () => (await import('./create.ts')).create },
  { names: ['q'], load: async () => (await import('./quick.ts')).quick },
  { names: ['update'], load: async () => (await import('./update.ts')).update },
  { names: ['close'], load: async () => (await import('./close.ts')).close },
  { names: ['done'], load: async () => (await import('./close.ts')).done },
  { names: ['reopen'], load: async () => (await import('./reopen.ts')).reopen },
  { names: ['delete'], load: async () => (await import('./delete.ts')).remove },
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
