import type { Command } from './command.ts'

interface Loader {
  readonly name: string
  readonly load: () => Promise<Command>
}

const LOADERS = [
  { name: 'init', load: async () => (await import('./commands/init.ts')).init },
  { name: 'config', load: async () => (await import('./commands/config.ts')).config },
  { name: 'queue', load: async () => (await import('./commands/queue.ts')).queue },
  { name: 'demo', load: async () => (await import('./commands/demo.ts')).demo },
  { name: 'doctor', load: async () => (await import('./commands/doctor.ts')).doctor },
  { name: 'ready', load: async () => (await import('./commands/ready.ts')).ready },
  { name: 'run', load: async () => (await import('./commands/run.ts')).run },
  { name: 'show', load: async () => (await import('./commands/show.ts')).show },
  { name: 'tasks', load: async () => (await import('./commands/tasks.ts')).tasks },
  { name: 'task', load: async () => (await import('./commands/task.ts')).task },
  { name: 'hosts', load: async () => (await import('./commands/hosts.ts')).hosts },
  { name: 'log', load: async () => (await import('./commands/log.ts')).log },
  { name: 'pause', load: async () => (await import('./commands/pause.ts')).pause },
  { name: 'resume', load: async () => (await import('./commands/resume.ts')).resume },
  { name: 'retry', load: async () => (await import('./commands/retry.ts')).retry },
  { name: 'land', load: async () => (await import('./commands/land.ts')).land },
  { name: 'kill', load: async () => (await import('./commands/kill.ts')).kill },
  { name: 'gc', load: async () => (await import('./commands/gc.ts')).gc },
  { name: 'questions', load: async () => (await import('./commands/questions.ts')).questions },
  { name: 'answer', load: async () => (await import('./commands/answer.ts')).answer },
  { name: 'tell', load: async () => (await import('./commands/tell.ts')).tell },
  { name: 'review', load: async () => (await import('./commands/review.ts')).review },
  { name: 'approve', load: async () => (await import('./commands/approve.ts')).approve },
  { name: 'done', load: async () => (await import('./commands/done.ts')).done },
  { name: 'ask', load: async () => (await import('./commands/ask.ts')).ask },
  { name: 'note', load: async () => (await import('./commands/note.ts')).note },
  { name: 'hook', load: async () => (await import('./commands/hook.ts')).hook },
  { name: 'completion', load: async () => (await import('./commands/completion.ts')).completion },
] as const satisfies readonly Loader[]

export type CommandName = (typeof LOADERS)[number]['name']

/** Short names of commands of bd's language. Everything else about them, help and permissions too, is bd's. */
export const SHORT_FOR: Readonly<Record<string, readonly string[]>> = { create: ['bd', 'create'] }

/** Every command but `bd`, each its own chunk, loaded when it is called. */
export const COMMANDS: readonly Loader[] = LOADERS
