/** Why an open task is not queued. `until` is null where no time ends it. */
export type Hold =
  /** Fleet keeps it waiting: a retry, a limit, a lane that is down. */
  | { readonly kind: 'later'; readonly reason: string; readonly until: number | null }
  | { readonly kind: 'blocked'; readonly by: readonly string[]; readonly until: null }
  /** `by`: the deferred parent; undefined: the task itself is deferred. */
  | { readonly kind: 'deferred'; readonly by: string | undefined; readonly until: number | null }
  /** People gave it a status that is never ready: one of their own. */
  | { readonly kind: 'status'; readonly status: string; readonly until: null }

export function holdText(hold: Hold): string {
  switch (hold.kind) {
    case 'later':
      return hold.reason
    case 'blocked':
      return `blocked by ${hold.by.join(', ')}`
    case 'deferred':
      return hold.by === undefined ? 'deferred' : `part of ${hold.by}, which is deferred`
    case 'status':
      return `its status is ${hold.status}`
  }
}
