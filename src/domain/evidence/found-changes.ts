import type { Span } from './span.ts'
import type { Weakness } from './weak-change.ts'

/** The changes in a project since a run began, whoever made them. */
export interface FoundChanges {
  readonly files: readonly FoundFile[]
  /** With a new tree, newest first. */
  readonly commits: readonly FoundCommit[]
  /** Branches and tags that were made, moved or deleted; absent: nobody asked. */
  readonly refs?: readonly FoundRef[]
  /** Output files among the artifacts of the task, which only its own agent is given. */
  readonly artifacts: readonly string[]
  /** Why they could not be determined. */
  readonly unknown?: string
}

/**
 * Where a commit was made, or a branch moved. `here`: in the checkout that the run works in. `by fleet`: it is the work of
 * another task, on its branch or landed. Absent: in any checkout of the repository.
 */
export type Origin = 'here' | 'by fleet'

export interface FoundFile {
  /** Below the root of the checkout or below the cwd; absolute: elsewhere. */
  readonly path: string
  /** It changed at some moment from the first to the second; undefined: the time is not known. */
  readonly when: Span | undefined
  /** The task asks for work there: it counts, however small. */
  readonly asked?: true
  /** Why it is no evidence by itself. */
  readonly weak?: Weakness
}

export interface FoundRef {
  readonly name: string
  readonly when: Span
  readonly origin?: Origin
}

export interface FoundCommit {
  readonly id: string
  readonly when: Span
  /** The paths that it changes. */
  readonly paths: readonly string[]
  readonly origin?: Origin
}
