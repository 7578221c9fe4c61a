import type { BdCommand } from './command.ts'

export interface Loader {
  /** The command's name first, then its aliases. */
  readonly names: readonly string[]
  readonly load: () => Promise<BdCommand>
}

/** Every command that fleet serves; each is its own chunk, loaded when it is called. */
export const COMMANDS: readonly Loader[] = [
  { names: ['comment'], load: async () => (await import('./comment.ts')).comment },
  { names: ['comments'], load: async () => (await import('./comments.ts')).comments },
  { names: ['dep'], load: async () => (await import('./dep.ts')).dep },
  { names: ['export'], load: async () => (await import('./export.ts')).exportTasks },
  { names: ['import'], load: async () => (await import('./import.ts')).importTasks },
  { names: ['label'], load: async () => (await import('./label.ts')).label },
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
