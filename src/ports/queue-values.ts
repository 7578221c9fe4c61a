/** Named texts that a queue keeps beside its tasks: bd's configuration, its key-value pairs and its memories. */
export interface QueueValues {
  /** Each question costs a call of another program, so a command that can do without asks none. */
  readonly costly?: boolean
  /** Those whose key begins with `prefix`, in the order of their keys. */
  list(prefix: string): Promise<ReadonlyMap<string, string>>
  get(key: string): Promise<string | undefined>
  /** Replaces the value that is there. A bound refuses a new key that would be one too many, and keeps another value. */
  set(key: string, value: string, bound?: ValueBound): Promise<SetValueResult>
  /** The removed value; undefined: there was none. */
  remove(key: string): Promise<string | undefined>
}

/** No more than `most` keys may begin with `prefix`, and no value is replaced by another one. */
export interface ValueBound {
  readonly prefix: string
  readonly most: number
}

export type SetValueResult =
  /** `before`: the replaced value. */
  | { readonly kind: 'set'; readonly before: string | undefined }
  | { readonly kind: 'full'; readonly count: number }
  /** The key has another value, which stays. */
  | { readonly kind: 'taken' }

/** Whether a bound keeps the value that is there. */
export function isTaken(before: string | undefined, value: string, bound: ValueBound | undefined): boolean {
  return bound !== undefined && before !== undefined && before !== value
}
