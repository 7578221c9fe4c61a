import type { BdCommand } from './command.ts'

export interface Loader {
  /** The command's name first, then its aliases. */
  readonly names: readonly string[]
  readonly load: () => Promise<BdCommand>
}

const SERVED = [
  { names: ['assign'], load: async () => (await import('./assign.ts')).assign },
  { names: ['blocked'], load: async () => (await import('./blocked.ts')).blocked },
  { names: ['children'], load: async () => (await import('./children.ts')).children },
  { names: ['close'], load: async () => (await import('./close.ts')).close },
  { names: ['comment'], load: async () => (await import('./comment.ts')).comment },
  { names: ['comments'], load: async () => (await import('./comments.ts')).comments },
  { names: ['count'], load: async () => (await import('./count.ts')).count },
  { names: ['create', 'new'], load: async () => (await import('./create.ts')).create },
  { names: ['defer'], load: async () => (await import('./defer.ts')).defer },
  { names: ['delete'], load: async () => (await import('./delete.ts')).remove },
  { names: ['dep'], load: async () => (await import('./dep.ts')).dep },
  { names: ['done'], load: async () => (await import('./close.ts')).done },
  { names: ['epic'], load: async () => (await import('./epic.ts')).epic },
  { names: ['export'], load: async () => (await import('./export.ts')).exportTasks },
  { names: ['history'], load: async () => (await import('./history.ts')).history },
  { names: ['import'], load: async () => (await import('./import.ts')).importTasks },
  { names: ['label'], load: async () => (await import('./label.ts')).label },
  { names: ['list'], load: async () => (await import('./list.ts')).list },
  { names: ['note'], load: async () => (await import('./note.ts')).note },
  { names: ['ping'], load: async () => (await import('./ping.ts')).ping },
  { names: ['prime'], load: async () => (await import('./prime.ts')).prime },
  { names: ['q'], load: async () => (await import('./quick.ts')).quick },
  { names: ['query'], load: async () => (await import('./query.ts')).query },
  { names: ['ready'], load: async () => (await import('./ready.ts')).ready },
  { names: ['reopen'], load: async () => (await import('./reopen.ts')).reopen },
  { names: ['search'], load: async () => (await import('./search.ts')).search },
  { names: ['show', 'view'], load: async () => (await import('./show.ts')).show },
  { names: ['stale'], load: async () => (await import('./stale.ts')).stale },
  { names: ['status', 'stats'], load: async () => (await import('./status.ts')).status },
  { names: ['undefer'], load: async () => (await import('./undefer.ts')).undefer },
  { names: ['update'], load: async () => (await import('./update.ts')).update },
  { names: ['version'], load: async () => (await import('./version.ts')).version },
  { names: ['where'], load: async () => (await import('./where.ts')).where },
] as const satisfies readonly Loader[]

export type CommandName = (typeof SERVED)[number]['names'][0]

/** Every command that fleet serves; each is its own chunk, loaded when it is called. */
export const COMMANDS: readonly Loader[] = SERVED
