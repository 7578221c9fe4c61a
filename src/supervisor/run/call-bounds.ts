import { basename, dirname, join } from 'node:path'
import type { Judging } from '../../domain/scope/called.ts'
import type { CallBounds } from '../../domain/scope/judge-call.ts'
import { UNBOUNDED } from '../../domain/scope/scope.ts'
import { launchFacts } from '../ending/launch-facts.ts'
import type { World } from '../world.ts'
import { launchRecord } from './launch-record.ts'
import type { LiveRun } from './live-run.ts'

/** The bounds of a run for its tool calls, by its launch record. */
export function callBounds(world: World, { record, coder, trace, launch }: LiveRun): CallBounds {
  const { attempts, machine, ledger } = world
  const { scope = UNBOUNDED } = launchFacts(launchRecord(world, record, launch))
  const root = machine.realPath(trace.root ?? record.cwd)
  const { userHome } = machine
  const own = [
    attempts.artifacts(record.task),
    `${attempts.taskFolder(record.task)}/inbox`,
    attempts.temporary(record.task, record.attempt),
    record.cwd,
  ]
  const repository = ledger.worktreeOf(record.task)?.repository
  const settings = (coder.settingsFiles ?? []).map((file) =>
    file.startsWith('~/') ? `${userHome}${file.slice(1)}` : `${root}/${file}`,
  )
  return {
    ...{ scope, root, userHome, settings },
    notes: (coder.notes ?? []).map((folder) => machine.realPath(`${userHome}${folder.slice(1)}`)),
    home: machine.realPath(world.home),
    own: own.map((path) => machine.realPath(path)),
    git: [root, ...(repository === undefined ? [] : [repository])].map((top) => `${machine.realPath(top)}/.git`),
  }
}

/** What the calls of a run are judged by, as its output tells of them. */
export function judgingOf(world: World, live: LiveRun): Judging {
  const { attempts, machine, home } = world
  const { task, attempt, cwd } = live.record
  const variables = {
    HOME: machine.userHome,
    FLEET_HOME: home,
    FLEET_TASK_DIR: attempts.taskFolder(task),
    FLEET_ARTIFACT_DIR: attempts.artifacts(task),
    TMPDIR: attempts.temporary(task, attempt),
  }
  const files = {
    resolve: (path: string) => withoutLinks(path, machine.realPath),
    isRepository: (folder: string) => machine.changedAt(join(folder, '.git', 'HEAD')) !== undefined,
  }
  const startsInCwd = live.coder.shellStartsInCwd === true
  return { bounds: callBounds(world, live), files, cwd: machine.realPath(cwd), startsInCwd, variables }
}

/** Of a file that does not exist, as far as its folders do. */
function withoutLinks(path: string, realPath: (path: string) => string): string {
  const real = realPath(path)
  return real !== path || dirname(path) === path ? real : join(withoutLinks(dirname(path), realPath), basename(path))
}
