import type { BdCommand } from './command.ts'

export interface Loader {
  /** The command's name first, then its aliases. */
  readonly names: readonly string[]
  readonly load: () => Promise<BdCommand>
}

const SERVED = [
  { names: ['assign'], load: async () => (await import('./commands/assign.ts')).assign },
  { names: ['blocked'], load: async () => (await import('./commands/blocked.ts')).blocked },
  { names: ['children'], load: async () => (await import('./commands/children.ts')).children },
  { names: ['close'], load: async () => (await import('./commands/close.ts')).close },
  { names: ['codex-hook'], load: async () => (await import('./beside/agent-hook.ts')).codexHook },
  { names: ['comment'], load: async () => (await import('./commands/comment.ts')).comment },
  { names: ['comments'], load: async () => (await import('./commands/comments.ts')).comments },
  { names: ['config'], load: async () => (await import('./beside/config.ts')).config },
  { names: ['count'], load: async () => (await import('./commands/count.ts')).count },
  { names: ['create', 'new'], load: async () => (await import('./commands/create.ts')).create },
  { names: ['cursor-hook'], load: async () => (await import('./beside/agent-hook.ts')).cursorHook },
  { names: ['defer'], load: async () => (await import('./commands/defer.ts')).defer },
  { names: ['delete'], load: async () => (await import('./commands/delete.ts')).remove },
  { names: ['dep'], load: async () => (await import('./dep/dep.ts')).dep },
  { names: ['done'], load: async () => (await import('./commands/close.ts')).done },
  { names: ['duplicate'], load: async () => (await import('./dep/replaced.ts')).duplicate },
  { names: ['edit'], load: async () => (await import('./commands/edit.ts')).edit },
  { names: ['epic'], load: async () => (await import('./commands/epic.ts')).epic },
  { names: ['export'], load: async () => (await import('./commands/export.ts')).exportTasks },
  { names: ['forget'], load: async () => (await import('./beside/memories.ts')).forget },
  { names: ['graph'], load: async () => (await import('./dep/graph.ts')).graph },
  { names: ['history'], load: async () => (await import('./commands/history.ts')).history },
  { names: ['human'], load: async () => (await import('./commands/human.ts')).human },
  { names: ['import'], load: async () => (await import('./commands/import.ts')).importTasks },
  { names: ['kv'], load: async () => (await import('./beside/kv.ts')).kv },
  { names: ['label'], load: async () => (await import('./commands/label.ts')).label },
  { names: ['link'], load: async () => (await import('./dep/link.ts')).link },
  { names: ['lint'], load: async () => (await import('./commands/lint.ts')).lint },
  { names: ['list'], load: async () => (await import('./commands/list.ts')).list },
  { names: ['memories'], load: async () => (await import('./beside/memories.ts')).memories },
  { names: ['note'], load: async () => (await import('./commands/note.ts')).note },
  { names: ['orphans'], load: async () => (await import('./commands/orphans.ts')).orphans },
  { names: ['ping'], load: async () => (await import('./commands/ping.ts')).ping },
  { names: ['prime'], load: async () => (await import('./beside/prime.ts')).prime },
  { names: ['priority'], load: async () => (await import('./commands/priority.ts')).priority },
  { names: ['q'], load: async () => (await import('./commands/quick.ts')).quick },
  { names: ['query'], load: async () => (await import('./commands/query.ts')).query },
  { names: ['ready'], load: async () => (await import('./commands/ready.ts')).ready },
  { names: ['recall'], load: async () => (await import('./beside/memories.ts')).recall },
  { names: ['remember'], load: async () => (await import('./beside/memories.ts')).remember },
  { names: ['reopen'], load: async () => (await import('./commands/reopen.ts')).reopen },
  { names: ['search'], load: async () => (await import('./commands/search.ts')).search },
  { names: ['show', 'view'], load: async () => (await import('./commands/show.ts')).show },
  { names: ['stale'], load: async () => (await import('./commands/stale.ts')).stale },
  { names: ['status', 'stats'], load: async () => (await import('./commands/status.ts')).status },
  { names: ['statuses'], load: async () => (await import('./beside/vocabulary.ts')).statuses },
  { names: ['supersede'], load: async () => (await import('./dep/replaced.ts')).supersede },
  { names: ['tag'], load: async () => (await import('./commands/tag.ts')).tag },
  { names: ['types'], load: async () => (await import('./beside/vocabulary.ts')).types },
  { names: ['unclaim'], load: async () => (await import('./commands/unclaim.ts')).unclaim },
  { names: ['undefer'], load: async () => (await import('./commands/undefer.ts')).undefer },
  { names: ['update'], load: async () => (await import('./commands/update.ts')).update },
  { names: ['version'], load: async () => (await import('./commands/version.ts')).version },
  { names: ['where'], load: async () => (await import('./commands/where.ts')).where },
] as const satisfies readonly Loader[]

export type CommandName = (typeof SERVED)[number]['names'][0]

/** Every command that fleet serves; each is a lazy chunk. */
export const COMMANDS: readonly Loader[] = SERVED
