/** Something that a shell line does to files, as far as the line tells. */
export type Effect =
  /** `path`: absolute; undefined: only the shell knows. `tree`: any file below it. */
  | {
      readonly does: 'writes' | 'deletes'
      readonly path: string | undefined
      readonly by: string
      readonly tree?: true
    }
  | { readonly does: 'pushes' }
  /** Settings of the repository around a folder. `from`: absolute; undefined: only the shell knows. */
  | { readonly does: 'configures'; readonly from: string | undefined; readonly by: string }
