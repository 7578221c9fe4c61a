import type { Place } from '../../domain/fleet/place.ts'
import type { Outcome } from '../../domain/run/outcome.ts'
import type { Run } from '../../domain/run/run.ts'
import type { SetUp, Worktree } from '../../domain/run/worktree.ts'
import { recordedBranch } from '../../domain/task/branch.ts'
import type { TaskSettings } from '../../domain/task/settings.ts'
import type { Task } from '../../domain/task/task.ts'
import type { Base } from '../../ports/workspace.ts'
import type { FoundRepository, IntendOrder, Refused } from '../../ports/worktrees.ts'
import type { World } from '../world.ts'
import type { LiveRun } from './live-run.ts'
import { portsOf, setUp } from './setup.ts'

export interface PlannedWorktree {
  /** Where the agent works. */
  readonly cwd: string
  readonly found: FoundRepository
  readonly target: IntendOrder['target']
}

/** undefined: the task runs in its directory. */
export function planWorktree(
  { policy, worktrees, ledger, machine, home }: World,
  { id, metadata }: Task,
  { place, settings }: { place: Place; settings: TaskSettings },
): PlannedWorktree | Refused | undefined {
  // Its own folder under the home is as good.
  if (place.kind === 'own') return undefined
  // A task that has begun in a worktree continues there, unless the task itself says otherwise.
  const hasBegun = settings.isolation === undefined && ledger.worktreeOf(id) !== undefined
  if (!hasBegun && policy().isolation(settings) !== 'worktree') return undefined
  const found = place.kind === 'clone' ? inClone(place) : worktrees.find(settings.cwd ?? '')
  if ('refused' in found) return found
  if (ledger.worktreeOf(id) === undefined && machine.contains(found.root, home)) {
    const why = `its worktree would lie inside ${found.root}, because the home ${home} does`
    return { refused: `${why}: move the home out of the repository (FLEET_HOME), or use isolation = shared for it` }
  }
  const recorded = recordedBranch(metadata)
  const target =
    settings.target !== undefined
      ? { branch: settings.target, given: true }
      : recorded === undefined
        ? undefined
        : { branch: recorded, given: false }
  return { cwd: below(worktrees.pathOf(id), found.folder), found, target }
}

/** The clone may have to be made first. */
function inClone({ cwd, root }: Extract<Place, { kind: 'clone' }>): FoundRepository {
  return { root, folder: cwd.slice(root.length + 1) }
}

function below(folder: string, path: string): string {
  return path === '' ? folder : `${folder}/${path}`
}

/** How often a branch is chosen again, because somebody else was faster. */
const MOST_TRIES = 5

/** Makes the worktree in which an attempt works, or the same one as before ready again. Returns why it cannot be. */
export async function readyWorktree(
  world: World,
  live: LiveRun,
  planned: PlannedWorktree,
): Promise<Worktree | Outcome> {
  const { record: run } = live
  const refused = ({ refused }: Refused): Outcome => ({ code: 'no-worktree', text: refused })
  const { ledger, worktrees, machine, log } = world
  let worktree = known(world, run, planned)
  if (worktree !== undefined && 'refused' in worktree) return refused(worktree)
  // Removed by hand: it comes again from its branch.
  if (worktree?.state === 'ready' && machine.directoryProblem(worktree.path) !== undefined) {
    worktree = { ...worktree, state: 'made' }
  }
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    worktree ??= await intended(world, run, planned)
    if ('refused' in worktree) return refused(worktree)
    ledger.saveWorktree(worktree)
    const made = await worktrees.make(worktree)
    if (made === 'taken') {
      worktree = undefined
      continue
    }
    if (made !== undefined) return refused(made)
    if (worktree.state === 'making')
      log('worktree-made', { task: run.task, path: worktree.path, branch: worktree.branch })
    const ready = worktree.state === 'ready' ? worktree : await complete(world, live, { ...worktree, state: 'made' })
    if ('code' in ready) return ready
    ledger.saveWorktree(ready)
    const problem = machine.directoryProblem(planned.cwd)
    if (problem === undefined) return ready
    const text = `its directory ${planned.found.folder} is not in the commit that its worktree began at: commit it, or give the task another directory`
    return { code: 'missing-cwd', text }
  }
  return refused({
    refused: `no free branch was found for it in ${planned.found.root}: try again with fleet retry ${run.task}`,
  })
}

/** Adds what git alone does not bring: ignored files that the user names, and the project's own setup. */
async function complete(world: World, live: LiveRun, worktree: Worktree): Promise<Worktree | Outcome> {
  const { ledger, worktrees, policy, clock, log } = world
  const { record: run, portBase } = live
  ledger.saveWorktree(worktree)
  const { setup, include } = policy().worktree(run.project)
  const isWanted = (): boolean => live.state.phase === 'preparing'
  const brought = await worktrees.bring(worktree, { patterns: include, isWanted })
  if (brought === 'stopped')
    return { code: 'no-worktree', text: 'it was stopped while files were brought to its worktree' }
  if (typeof brought !== 'number') return { code: 'no-worktree', text: brought.refused }
  if (brought > 0) log('worktree-files-brought', { task: run.task, count: brought })
  const ready = (setUp: SetUp | null): Worktree => ({
    ...worktree,
    state: 'ready',
    readyAt: worktree.readyAt ?? clock.now(),
    setUp,
  })
  if (setup === undefined) return ready(null)
  const failed = await setUp(world, run, { worktree, line: setup, more: portsOf(portBase), isWanted })
  return failed?.outcome ?? ready(await changedBySetup(world, worktree))
}

async function changedBySetup({ workspace, home }: World, { path }: Worktree): Promise<SetUp | null> {
  const base = await workspace.base(path, home)
  return base.kind === 'git' ? { files: base.dirty, whole: base.dirtyWhole } : null
}

async function intended(
  { worktrees, clock }: World,
  { task }: Run,
  { found, target }: PlannedWorktree,
): Promise<Worktree | Refused> {
  const intended = await worktrees.intend({ task, ...found, target })
  if ('refused' in intended) return intended
  const { root: repository, folder } = found
  const path = worktrees.pathOf(task)
  return {
    task,
    repository,
    folder,
    path,
    ...intended,
    state: 'making',
    madeAt: clock.now(),
    readyAt: null,
    setUp: null,
  }
}

/** As an earlier attempt left it. undefined: none did. */
function known(
  { ledger, worktrees }: World,
  { task }: Run,
  { found: { root, folder } }: PlannedWorktree,
): Worktree | Refused | undefined {
  const before = ledger.worktreeOf(task)
  if (before === undefined) return undefined
  const here: Worktree = { ...before, repository: root, folder }
  if (before.repository === root || worktrees.belongs(here)) return worktrees.inThisHome(here)
  if (before.state === 'making') return undefined
  return {
    refused: `its worktree belongs to ${before.repository}, and its directory is in ${root} now: give it back its directory with fleet bd update ${task} --cwd, or create another task`,
  }
}

/** The state of a project before a run, with what is known of its worktree. */
export function inWorktree(base: Base, worktree: Worktree | undefined): Base {
  if (worktree === undefined || base.kind !== 'git') return base
  const { base: since, madeAt: at, target, branch } = worktree
  return { ...base, own: { since, at, target, branch } }
}

/** At the start of a supervisor: a home that was moved has taken its worktrees with it. */
export function findWorktree({ ledger, worktrees }: World, worktree: Worktree): void {
  const found = worktree.state === 'removing' ? worktree : worktrees.inThisHome(worktree)
  // A task whose worktree is not found is refused when its turn comes, with the reason.
  if (found !== worktree && !('refused' in found)) ledger.saveWorktree(found)
}
