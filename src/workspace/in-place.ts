import { isOfTheMachine } from '../domain/run/machine-trouble.ts'
import { directoryProblem } from '../platform/files/paths.ts'
import { checkoutAt } from '../platform/git/checkout.ts'
import { CannotLook } from '../platform/git/look.ts'
import type { Base, ChangesOrder, Workspace } from '../ports/workspace.ts'
import { artifactsSince } from './artifacts.ts'
import { pathBase, pathChanges } from './asked-path.ts'
import { linesSince } from './changed-lines.ts'
import { folderBase, weighedFolderChanges } from './changes-in-folder.ts'
import { checkoutBase, checkoutChanges } from './changes-in-git.ts'
import { byPath, type Found } from './found-changes.ts'
import { spelled } from './spelled.ts'

/** Tasks that run in the directory they were created in. fleet writes nothing there. */
export const inPlace: Omit<Workspace, 'checkOut'> = {
  async base(cwd, home, asked): Promise<Base> {
    const withRefs = asked?.kind === 'branch' || asked?.kind === 'pr'
    const { refs, ...base } = {
      refs: undefined,
      ...((await checkoutBase(cwd, home, { withRefs })) ?? (await folderBase(cwd, home))),
    }
    if (asked === undefined) return base
    const path = asked.kind === 'path' ? { path: await pathBase(asked.path, { cwd, home }) } : {}
    return { ...base, asked: { evidence: asked, ...path, ...(refs !== undefined && { refs }) } }
  },
  async lines(base, changes) {
    try {
      return await linesSince(base, changes)
    } catch (error) {
      if (hasNoRoom(error)) throw error
      return undefined
    }
  },
  spelled,
  repositoryOf: (directory) => checkoutAt(directory)?.commonFolder,
  artifacts: (folder) => artifactsSince(folder, 0),
  async changes(base, more) {
    try {
      const artifacts = await artifactsSince(more.artifacts, more.since)
      const root = base.kind === 'git' ? base.root : base.cwd
      const problem = directoryProblem(root)
      if (problem !== undefined) {
        return { files: [], commits: [], artifacts, unknown: `its directory ${root} ${problem} any more` }
      }
      const found = base.kind === 'git' ? await checkoutChanges(base, more) : await weighedFolderChanges(base, more)
      return { ...(await withAsked(base, found, more)), artifacts }
    } catch (error) {
      // Judged later, when the machine can run programs again: without a look the work would count as not done.
      if (error instanceof CannotLook || hasNoRoom(error)) throw error
      const unknown = error instanceof Error ? error.message : String(error)
      return { files: [], commits: [], artifacts: [], unknown }
    }
  },
}

/** With the changes at the path that the task asks for, which count even if they would not elsewhere. */
async function withAsked(base: Base, found: Found, { since, home }: ChangesOrder): Promise<Found> {
  if (base.asked?.path === undefined) return found
  const changes = await pathChanges(base.asked.path, { since, home })
  const asked = changes.flatMap((file) =>
    [...spelled(base, [file.path], base.cwd)].slice(0, 1).map((path) => ({ ...file, path })),
  )
  const paths = new Set(asked.map(({ path }) => path))
  return { ...found, files: [...found.files.filter(({ path }) => !paths.has(path)), ...asked].sort(byPath) }
}

function hasNoRoom(error: unknown): boolean {
  const { code } = ((error as Error).cause ?? error) as NodeJS.ErrnoException
  return isOfTheMachine({ code, step: 'files', homeIsWritable: () => true })
}
