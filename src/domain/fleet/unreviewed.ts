import { NEEDS_REVIEW } from '../run/review.ts'
import type { Run } from '../run/run.ts'
import { repositoryOf } from '../task/repository.ts'
import { settingsOf } from '../task/settings.ts'
import type { Metadata } from '../task/task.ts'
import { type LocalPaths, placeFor } from './place.ts'
import type { Policy } from './policy.ts'

/** A project with a limit, and how many of its tasks wait until a person has reviewed them. */
export interface UnreviewedProject {
  readonly project: string
  readonly waiting: number
  readonly most: number
}

/** A blocked task with the label of a review, which may also be left from an earlier attempt, or stand there by hand. */
export interface LabelledTask {
  readonly metadata: Metadata
  /** Where its last attempt was made, if that was on this machine. */
  readonly last: Pick<Run, 'project' | 'outcome'> | undefined
  /** Its last attempt was made on another machine. */
  readonly isElsewhere: boolean
}

/** A task of another machine belongs to the project in which it would run here. */
export function unreviewedProjects(
  tasks: readonly LabelledTask[],
  { maxUnreviewed }: Pick<Policy, 'maxUnreviewed'>,
  paths: LocalPaths,
): readonly UnreviewedProject[] {
  const projects = new Map<string, UnreviewedProject>()
  for (const { metadata, last, isElsewhere } of tasks) {
    if (!isElsewhere && last?.outcome?.code !== NEEDS_REVIEW) continue
    const limit = maxUnreviewed(isElsewhere ? directoryOf(metadata, paths) : last?.project)
    if (limit === undefined) continue
    const { path: project, most } = limit
    projects.set(project, { project, waiting: (projects.get(project)?.waiting ?? 0) + 1, most })
  }
  return [...projects.values()]
}

function directoryOf(metadata: Metadata, paths: LocalPaths): string | undefined {
  const place = placeFor({ cwd: settingsOf(metadata).cwd, repository: repositoryOf(metadata) }, paths)
  return place.kind === 'own' ? undefined : place.cwd
}
