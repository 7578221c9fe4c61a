import { attributed, needsTraces } from '../../domain/evidence/attribution.ts'
import type { FoundChanges, FoundFile } from '../../domain/evidence/found-changes.ts'
import type { Work } from '../../domain/evidence/work.ts'
import type { Changes, RecordedChanges } from '../../domain/run/changes.ts'
import type { Run, Seen } from '../../domain/run/run.ts'
import type { Base } from '../../ports/workspace.ts'
import type { LiveRun } from '../run/live-run.ts'
import type { World } from '../world.ts'
import { earlierWork, otherWork, workOf } from './other-work.ts'

export interface Tracing {
  /** The paths that its tools name, and those of all attempts whose work it continues. */
  readonly named: ReadonlySet<string>
  readonly allNamed: ReadonlySet<string>
  /** The changes of the run itself. */
  attributed(found: FoundChanges): Changes
  /** Changes of earlier attempts where the evidence is asked for, perhaps only since they have ended. */
  askedAmong(found: FoundChanges): readonly RecordedChanges[]
}

interface Order {
  readonly base: Base
  readonly runs: Iterable<LiveRun>
  /** Those whose work it continues, itself last. */
  readonly attempts: readonly (Pick<Seen, 'work' | 'named'> & { readonly run: Run })[]
}

/** Tells the changes of a run from those of others, whose traces are read only where they matter. */
export function tracing(world: World, live: LiveRun, { base, runs, attempts }: Order): Tracing {
  const own = workOf(world, live, base)
  const earlier = attempts.slice(0, -1).map((each) => earlierWork(world, each, base))
  const chain = [...earlier, own]
  const isApart = base.kind === 'git' && base.own !== undefined
  const since = attempts[0]?.run.startedAt ?? live.record.startedAt
  let known: readonly Work[] | undefined
  const others = (): readonly Work[] => {
    known ??= otherWork(world, live, { base, runs, since })
    return known
  }
  return {
    named: own.named,
    allNamed: new Set(chain.flatMap(({ named }) => [...named])),
    attributed: (found) =>
      attributed(found, { own: [own], others: !isApart || needsTraces(found) ? others() : [], isApart }),
    askedAmong(found) {
      const files = found.files.filter((file) => file.asked === true && isExact(file))
      if (earlier.length === 0 || files.length === 0) return []
      return [attributed({ files, commits: [], artifacts: [] }, { own: chain, others: others(), isApart })]
    },
  }
}

/** Otherwise it may have changed while the task waited for its next attempt. */
function isExact({ when }: FoundFile): boolean {
  return when !== undefined && when.to - when.from <= COARSE_MS
}

/** The coarsest file systems. */
const COARSE_MS = 2000
