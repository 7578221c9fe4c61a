import { join } from 'node:path'
import { attributed } from '../../domain/evidence/attribution.ts'
import { spansFrom } from '../../domain/evidence/trace.ts'
import { EVERYWHERE, type Reach, type Work } from '../../domain/evidence/work.ts'
import type { Run, Traces } from '../../domain/run/run.ts'
import { wayDown } from '../../platform/files/same-folder.ts'
import type { Ledger } from '../../ports/ledger.ts'
import { isAsBefore } from '../../workspace/dirty-stamps.ts'
import { whenChanged } from '../../workspace/found-changes.ts'
import { spelledBelow } from '../../workspace/spelled.ts'

/** Those of the changed paths of a checkout that are traced to the runs of a task by now. */
export type SoFar = (
  where: { readonly root: string /** It is the task's own worktree. */; readonly isApart: boolean },
  paths: readonly string[],
) => ReadonlySet<string>

/** Runs that share no time with those of the task are left out. */
const MOST_RUNS = 2000
const NOW = Number.MAX_SAFE_INTEGER

interface Told {
  readonly run: Run
  readonly traces: Traces
}

/** By the same rule as at their end, from what the ledger has of runs that are under way. undefined: they never ran here. */
export function workSoFar(
  ledger: Ledger,
  { task, runs }: { readonly task: string; readonly runs: readonly Run[] },
): SoFar | undefined {
  const [first] = runs
  if (first === undefined) return undefined
  const told = (run: Run): Told => ({ run, traces: ledger.seen(run.id) })
  const own = runs.map(told)
  const others = ledger
    .runsSince(first.startedAt, MOST_RUNS)
    .filter((run) => run.task !== task)
    .map(told)
  const { files = {}, whole = true } = ledger.worktreeOf(task)?.setUp ?? {}
  return ({ root, isApart }, paths) => {
    if (isApart) return new Set(paths.filter((path) => !isAsBefore({ root, dirty: files, dirtyWhole: whole }, path)))
    const near = others.flatMap((each) => {
      const top = each.traces.work?.root ?? each.run.cwd
      const meets = wayDown(root, top) !== undefined || wayDown(top, root) !== undefined
      return meets ? [workOf(each, root, { tree: true, repository: true, elsewhere: [] })] : []
    })
    const found = paths.map((path) => ({ path, when: whenChanged(join(root, path), first.startedAt) }))
    const all = own.map((each) => workOf(each, root, EVERYWHERE))
    const changes = { files: found, commits: [], artifacts: [] }
    return new Set(attributed(changes, { own: all, others: near, isApart }).files)
  }
}

function workOf({ run, traces: { work, named = [] } }: Told, root: string, reach: Reach): Work {
  const life = { from: run.startedAt, to: run.endedAt ?? NOW }
  return {
    life,
    named: spelledBelow(root, named, run.cwd),
    open: work && [...spansFrom(work.open), ...spansFrom(work.unsure ?? [])],
    left: work === undefined ? [life] : spansFrom(work.left ?? []),
    reach,
  }
}
