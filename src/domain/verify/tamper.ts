import { type GuardKind, guardOf } from './guards.ts'
import { choice } from './path-pattern.ts'
import type { Scripts } from './scripts.ts'

export interface Guarded {
  readonly path: string
  readonly kind: GuardKind
}

export interface GuardRules {
  /** The scripts that the commands run themselves. */
  readonly scripts: Scripts
  /** The user's own patterns; `!` takes files out. */
  readonly include: readonly string[]
}

/** Those of the files that decide whether work passes. */
export function guarding({ scripts, include }: GuardRules): (paths: readonly string[]) => readonly Guarded[] {
  const chosen = choice(include)
  const isScript = (path: string): boolean =>
    scripts.files.has(path) || scripts.folders.some((folder) => path.startsWith(`${folder}/`))
  const kindOf = (path: string): GuardKind | undefined => {
    const isChosen = chosen(path)
    if (isChosen === false) return undefined
    return guardOf(path) ?? (isScript(path) ? 'script' : isChosen ? 'configuration' : undefined)
  }
  return (paths) =>
    paths.flatMap((path) => {
      const kind = kindOf(path)
      return kind === undefined ? [] : [{ path, kind }]
    })
}
