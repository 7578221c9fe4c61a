/** What an agent tells fleet from inside its run: one file each in its task's inbox. Evidence, never a state change. */
export type InboxItem =
  /** It says it is done. A claim; the supervisor judges it. */
  | { readonly kind: 'done'; readonly summary: string }
  | {
      readonly kind: 'ask'
      readonly text: string
      readonly options: readonly string[]
      readonly suggestion?: string
    }
  | { readonly kind: 'note'; readonly text: string }

/** As it stands in the file. */
export interface Letter {
  readonly v: 1
  /** Whose word it is; one of another run is not read. */
  readonly run: string
  readonly at: number
  readonly item: InboxItem
}
