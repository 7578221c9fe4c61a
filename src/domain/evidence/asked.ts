import type { Changes } from '../run/changes.ts'

/** Where the work of a task will be, as a person said when it was created; without it, in its directory. */
export type AskedEvidence =
  /** At or below this path, which may be ignored by git, empty, or in another repository. */
  | { readonly kind: 'path'; readonly path: string }
  /** A branch or tag that was made, moved or deleted, or a commit. */
  | { readonly kind: 'branch' }
  /** The same, or a commit that was made here and is on no branch any more: it was pushed to a place that git keeps no track of. */
  | { readonly kind: 'pr' }
  /** Nothing that fleet could see: its tool calls are the evidence. */
  | { readonly kind: 'none' }

export const ASKED = 'path:<path>, branch, pr or none'

/** undefined: no such evidence. */
export function askedEvidence(text: string): AskedEvidence | undefined {
  if (text === 'branch' || text === 'pr' || text === 'none') return { kind: text }
  const path = /^path:(.+)$/s.exec(text)?.[1]?.trim()
  return path === undefined || path === '' ? undefined : { kind: 'path', path }
}

export function askedText(asked: AskedEvidence): string {
  return asked.kind === 'path' ? `path:${asked.path}` : asked.kind
}

/** Whether the changes of a run are the evidence that its task asks for. `at`: the asked path, spelled as those of changes. */
export function meets(asked: AskedEvidence, changes: Changes, at: string): boolean {
  switch (asked.kind) {
    case 'path':
      return changes.files.some((path) => at === '' || path === at || path.startsWith(`${at}/`))
    case 'branch':
    case 'pr':
      return changes.commits.length + (changes.refs?.length ?? 0) > 0
    case 'none':
      return true
  }
}
