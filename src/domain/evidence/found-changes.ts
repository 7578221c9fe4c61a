import type { Span } from './span.ts'

/** The changes in a project since a run began, whoever made them. */
export interface FoundChanges {
  readonly files: readonly FoundFile[]
  /** With a new tree, newest first. */
  readonly commits: readonly FoundCommit[]
  /** Output files among the artifacts of the task, which only its own agent is given. */
  readonly artifacts: readonly string[]
  /** Why they could not be determined. */
  readonly unknown?: string
}

export interface FoundFile {
  /** Below the root of the checkout or below the cwd; absolute: elsewhere. */
  readonly path: string
  /** It changed at some moment from the first to the second; undefined: the time is not known. */
  readonly when: Span | undefined
}

export interface FoundCommit {
  readonly id: string
  readonly when: Span
  /** The paths that it changes. */
  readonly paths: readonly string[]
}
