import { agentName } from '../agent/current-run.ts'
import type { Comment } from '../task/comment.ts'
import type { Task } from '../task/task.ts'
import { fingerprint } from '../text/fingerprint.ts'
import type { Run } from './run.ts'

/** The texts of a task that its prompt has. `notes` is apart: fleet and agents append to it. */
export const TEXTS = ['description', 'design', 'acceptance_criteria'] as const
export type TextField = (typeof TEXTS)[number]

/** The parts of a task that reach its agent. */
export interface Subject {
  readonly task: Pick<Task, 'id' | 'title' | 'notes' | TextField>
  /** Oldest first. */
  readonly comments: readonly Comment[]
  /** The ids of the tasks that it depends on. */
  readonly dependencies: readonly string[]
}

/** Everything that the prompt of an attempt told of its task, as fingerprints. Kept in the launch record. */
export interface Told {
  readonly title: string
  readonly texts: Readonly<Record<TextField, string>>
  readonly notes: { readonly length: number; readonly is: string }
  readonly comments: readonly string[]
  readonly dependencies: readonly string[]
}

/** The changes of a task since an attempt was told of it. An absent field has not changed. */
export interface News {
  /** Nothing is known of what was told before, so all of the task counts as new. */
  readonly whole: boolean
  readonly title?: string
  readonly texts: Readonly<Partial<Record<TextField, string>>>
  /** `added`: the lines that people added below the old ones; `replaced`: all notes, because the old ones were edited. */
  readonly notes?: { readonly kind: 'added' | 'replaced'; readonly text: string }
  /** By people and by agents of other tasks. */
  readonly comments: readonly Comment[]
  readonly addedDependencies: readonly string[]
  readonly removedDependencies: readonly string[]
}

export function toldOf({ task, comments, dependencies }: Subject): Told {
  return {
    title: task.title,
    texts: {
      description: fingerprint(task.description),
      design: fingerprint(task.design),
      acceptance_criteria: fingerprint(task.acceptance_criteria),
    },
    notes: { length: task.notes.length, is: fingerprint(task.notes) },
    comments: comments.map(({ id }) => id),
    dependencies,
  }
}

/** `ownNotes`: the texts that fleet itself and the agents of this task appended to its notes. */
export function newsSince(told: Told | undefined, subject: Subject, ownNotes: readonly string[]): News {
  const { task, comments, dependencies } = subject
  const known = new Set(told?.comments)
  const notes = newNotes(told?.notes, task.notes, ownNotes)
  return {
    whole: told === undefined,
    ...(told !== undefined && told.title !== task.title ? { title: task.title } : {}),
    texts: Object.fromEntries(
      TEXTS.filter((field) =>
        told === undefined ? task[field] !== '' : told.texts[field] !== fingerprint(task[field]),
      ).map((field) => [field, task[field]]),
    ),
    ...(notes === undefined ? {} : { notes }),
    comments: comments.filter(({ id, author }) => !known.has(id) && author !== agentName(task.id)),
    addedDependencies: dependencies.filter((id) => told !== undefined && !told.dependencies.includes(id)),
    removedDependencies: told?.dependencies.filter((id) => !dependencies.includes(id)) ?? [],
  }
}

function newNotes(told: Told['notes'] | undefined, notes: string, own: readonly string[]): News['notes'] {
  const { length, is } = told ?? toldNothing
  const isAppended = fingerprint(notes.slice(0, length)) === is
  const text = withoutBlocks(isAppended ? notes.slice(length) : notes, own)
  if (isAppended) return text === '' ? undefined : { kind: 'added', text }
  return { kind: 'replaced', text }
}

const toldNothing: Told['notes'] = { length: 0, is: fingerprint('') }

/** Removes each of these texts once, where it stands as whole lines. */
function withoutBlocks(text: string, blocks: readonly string[]): string {
  const lines = text.split('\n')
  for (const block of blocks) {
    const wanted = block.split('\n')
    const at = lines.findIndex((_, i) => wanted.every((each, k) => lines[i + k] === each))
    if (at !== -1) lines.splice(at, wanted.length)
  }
  return lines.join('\n').trim()
}

/**
 * The attempt of a session that decides what the session knows: the newest one that the model answered. A prompt that met a
 * limit may never have been read, so its news is told again.
 */
export function lastHeard(
  runs: readonly Run[],
  { attempt, resumes }: Pick<Run, 'attempt' | 'resumes'>,
): Run | undefined {
  const ofSession = runs.filter(
    (run) => run.attempt < attempt && (run.figures.session === resumes || run.resumes === resumes),
  )
  return ofSession.findLast(wasHeard) ?? ofSession[0]
}

function wasHeard({ figures: { toolCalls, usage, contextNow } }: Run): boolean {
  return toolCalls > 0 || (usage.output ?? 0) > 0 || contextNow !== null
}

/** Reads the part of a launch record. undefined: an older fleet wrote the record, or it has another shape. */
export function toldIn(record: unknown): Told | undefined {
  const told = (record as { told?: Partial<Told> } | null)?.told
  const lists = [told?.comments, told?.dependencies]
  const isTold =
    typeof told?.title === 'string' &&
    typeof told.texts === 'object' &&
    typeof told.notes?.length === 'number' &&
    lists.every((each) => Array.isArray(each))
  return isTold ? (told as Told) : undefined
}
