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
