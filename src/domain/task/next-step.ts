/** What becomes of a claimed task. */
export type NextStep =
  | { readonly to: 'closed'; readonly reason: string }
  /** Not claimable before that moment; a person who reopens, retries or takes it ends the wait. */
  | { readonly to: 'open'; readonly notBefore?: number }
  | { readonly to: 'blocked'; readonly notes?: string; readonly addLabels?: readonly string[] }
  | { readonly to: 'deferred'; readonly until: string }
