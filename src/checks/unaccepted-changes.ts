import { join } from 'node:path'
import { definitionFiles, scriptsOf } from '../domain/verify/scripts.ts'
import { type Guarded, guarding } from '../domain/verify/tamper.ts'
import { wayDown } from '../platform/files/same-folder.ts'
import { discardFolder, temporaryFolder } from '../platform/files/temporary-folder.ts'
import type { Checkout } from '../platform/git/checkout.ts'
import { type LookingGit, looking } from '../platform/git/look.ts'
import { PRIVATE_FOLDER } from '../platform/git/private-folder.ts'
import type { AttemptWork } from '../ports/verifier.ts'
import { changedTools } from './changed-tools.ts'
import { type GuardedChange, guardedChanges } from './guarded-changes.ts'
import type { BaseOrder } from './with-base.ts'

/**
 * Of the last attempt everything that decides whether it passes and is not as it was before it. Of earlier ones only what they
 * are known to have changed: others may have worked here since then.
 */
export async function unacceptedChanges(what: BaseOrder, checkout: Checkout): Promise<readonly GuardedChange[]> {
  const { work, home } = what
  const ofHome = homeIn(checkout.root, home)
  const others = new Set(work.others)
  const counting = ({ changed }: AttemptWork, isLast: boolean) => {
    const own = new Set(changed)
    return (path: string): boolean => !ofHome(path) && (own.has(path) || (isLast && !others.has(path)))
  }
  const [first] = work.attempts
  const found = new Map<string, GuardedChange>()
  const scratch = temporaryFolder(PRIVATE_FOLDER)
  try {
    await looking(checkout, process.env, async (git) => {
      const guards = await rulesIn(git, what, checkout)
      for (const [i, attempt] of work.attempts.entries()) {
        const { base, since, changed } = attempt
        const isLast = i === work.attempts.length - 1
        if (base.kind !== 'git' || (!isLast && guards(changed).length === 0)) continue
        const counts = counting(attempt, isLast)
        const times = { since: base.at ?? since, ignoredSince: first?.base.at ?? first?.since ?? since }
        const order = { checkout, base, ...times, guards, counts, index: join(scratch, `index-${i}`) }
        for (const each of await guardedChanges(git, order)) if (!found.has(each.path)) found.set(each.path, each)
      }
      const begun = work.attempts.find(({ base }) => base.kind === 'git')
      if (begun?.base.kind !== 'git') return
      const since = begun.base.at ?? begun.since
      for (const each of await changedTools(git, checkout, { base: begun.base, since, guards }))
        found.set(each.path, each)
    })
  } finally {
    discardFolder(scratch)
  }
  return [...found.values()].sort((one, other) => (one.path < other.path ? -1 : 1))
}

type Guards = (paths: readonly string[]) => readonly Guarded[]

/** A commit before the work says what `npm test` runs. */
async function rulesIn(git: LookingGit, what: BaseOrder, { root }: Checkout): Promise<Guards> {
  const before = what.work.attempts.find(({ base }) => base.kind === 'git')?.base
  const commit = before?.kind === 'git' ? before.head : null
  const definitions = new Map<string, string>()
  for (const path of commit === null ? [] : definitionFiles(linesOf(what, root))) {
    const run = await git(['cat-file', 'blob', `${commit}:${path}`])
    if (run.kind === 'ended' && run.code === 0) definitions.set(path, run.out.toString('utf8'))
  }
  return rulesBelow(what, root, definitions)
}

/** By the names alone, where no older version of a file can be read. */
export function rulesBelow(
  what: BaseOrder,
  root: string,
  definitions: ReadonlyMap<string, string> = new Map(),
): Guards {
  return guarding({ scripts: scriptsOf(linesOf(what, root), definitions), include: what.include })
}

function linesOf({ commands, cwd }: BaseOrder, root: string) {
  return { lines: commands.map(({ command }) => command), root, below: wayDown(root, cwd) ?? '' }
}

/** Whether a path belongs to fleet's own files. */
function homeIn(root: string, home: string): (path: string) => boolean {
  const inside = wayDown(root, home) ?? ''
  return (path) => inside !== '' && path.startsWith(`${inside}/`)
}
