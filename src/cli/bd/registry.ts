import type { BdCommand } from './command.ts'

export interface Loader {
  /** The command's name first, then its aliases. */
  readonly names: readonly string[]
  readonly load: () => Promise<BdCommand>
}

const SERVED = [
  { names: ['blocked'], load: async () => (await import('./blocked.ts')).blocked },
  { names: ['close'], load: async () => (await import('./close.ts')).close },
  { names: ['comment'], load: async () => (await import('./comment.ts')).comment },
  { names: ['comments'], load: async () => (await import('./comments.ts')).comments },
  { names: ['count'], load: async () => (await import('./count.ts')).count },
  { names: ['create', 'new'], load: async () => (await import('./create.ts')).create },
  { names: ['delete'], load: async () => (await import('./delete.ts')).remove },
  { names: ['dep'], load: async () => (await import('./dep.ts')).dep },
  { names: ['done'], load: async () => (await import('./close.ts')).done },
  { names: ['export'], load: async () => (await import('./export.ts')).exportTasks },
  { names: ['import'], load: async () => (await import('./import.ts')).importTasks },
  { names: ['label'], load: async () => (await import('./label.ts')).label },
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
] as const satisfies readonly Loader[]

export type CommandName = (typeof SERVED)[number]['names'][0]

/** Every command that fleet serves; each is its own chunk, loaded when it is called. */
export const COMMANDS: readonly Loader[] = SERVED
