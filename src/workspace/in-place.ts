import { isOfTheMachine } from '../domain/run/machine-trouble.ts'
import { directoryProblem } from '../platform/files/paths.ts'
import type { Base, Workspace } from '../ports/workspace.ts'
import { artifactsSince } from './artifacts.ts'
import { folderBase, folderChanges } from './changes-in-folder.ts'
import { checkoutBase, checkoutChanges } from './changes-in-git.ts'
import { spelled } from './spelled.ts'

/** Tasks that run in the directory they were created in. fleet writes nothing there. */
export const inPlace: Omit<Workspace, 'checkOut'> = {
  async base(cwd, home): Promise<Base> {
    return (await checkoutBase(cwd, home)) ?? (await folderBase(cwd, home))
  },
  spelled,
  artifacts: (folder) => artifactsSince(folder, 0),
  async changes(base, more) {
    try {
      const artifacts = await artifactsSince(more.artifacts, more.since)
      const root = base.kind === 'git' ? base.root : base.cwd
      const problem = directoryProblem(root)
      if (problem !== undefined) {
        return { files: [], commits: [], artifacts, unknown: `its directory ${root} ${problem} any more` }
      }
      const found = base.kind === 'git' ? await checkoutChanges(base, more) : await folderChanges(base, more)
      return { ...found, artifacts }
    } catch (error) {
      // Judged later, when the machine can run programs again: without a look the work would count as not done.
      if (hasNoRoom(error)) throw error
      const unknown = error instanceof Error ? error.message : String(error)
      return { files: [], commits: [], artifacts: [], unknown }
    }
  },
}

function hasNoRoom(error: unknown): boolean {
  const { code } = ((error as Error).cause ?? error) as NodeJS.ErrnoException
  return isOfTheMachine({ code, step: 'files', homeIsWritable: () => true })
}
