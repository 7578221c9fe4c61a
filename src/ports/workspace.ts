import type { Changes } from '../domain/run/changes.ts'

/** What a project directory looked like before a run, and what the run changed in it. Reads take no locks. */
export interface Workspace {
  /** fleet's own `home` is left out of it. */
  base(cwd: string, home: string): Promise<Base>
  /** Never throws: what could not be looked at is `unknown`, and that is no evidence. */
  changes(base: Base, more: { since: number; artifacts: string; home: string }): Promise<Changes>
  /** What a run has put into this folder of artifacts as its output: paths below it. */
  artifacts(folder: string): Promise<readonly string[]>
  /**
   * A clone of a repository at `root`, made where there is none; brought up to date where it can be, if one works there
   * `alone`. Answers with why it was not. Throws AppError where there is none to be had.
   */
  checkOut(order: { remote: string; root: string; alone: boolean }): Promise<string | undefined>
}

/** Kept in launch.json, so that an adopting supervisor can judge. */
export type Base =
  | {
      readonly kind: 'git'
      readonly cwd: string
      /** Absolute; the changes of the whole checkout count, wherever in it the cwd lies. */
      readonly root: string
      /** null: no commit yet. */
      readonly head: string | null
      /** The commits of HEAD and all local branches: what they do not reach is new. */
      readonly heads: readonly string[]
      /** Their trees: a commit that brings no new tree is empty. */
      readonly trees: readonly string[]
      /** What was already changed, each with the time of its last change and, after a blank, what stood there, if known. */
      readonly dirty: Stamps
      /** false: there was more than `dirty` holds; then the time of a change decides. */
      readonly dirtyWhole: boolean
    }
  | {
      readonly kind: 'folder'
      readonly cwd: string
      /** What was there, each with the time of its last change and, after a blank, what stood there, if known. */
      readonly files: Stamps
      /** false: there was more than `files` holds; then the time of a change decides. */
      readonly filesWhole: boolean
    }

/** By path below the root or cwd. */
export type Stamps = Readonly<Record<string, string>>
