export const ISOLATIONS = ['shared', 'worktree'] as const

/** `shared`: in the directory of the task; `worktree`: in a checkout of its own. */
export type Isolation = (typeof ISOLATIONS)[number]

export function isIsolation(text: string): text is Isolation {
  return (ISOLATIONS as readonly string[]).includes(text)
}
