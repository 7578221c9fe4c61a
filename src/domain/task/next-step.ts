/** The state a claimed task moves to when its claim is settled. */
export type NextStep =
  | { readonly to: 'closed'; readonly reason: string }
  /** Not claimable before `notBefore`, unless a person reopens, retries or takes the task. */
  | { readonly to: 'open'; readonly notBefore?: number }
  | { readonly to: 'blocked'; readonly notes?: string; readonly addLabels?: readonly string[] }
  | { readonly to: 'deferred'; readonly until: string }
