import type { Account } from '../platform/runtime/machine.ts'
import type { Config } from './schema.ts'

/** Explains a permission level on this machine in one line. */
export function permissionsLine(level: Config['permissions'], account: Account): string {
  switch (level) {
    case 'full':
      return account.isRoot
        ? 'full: agents act without asking, as root: they can change anything on this machine (an ordinary account is safer)'
        : `full: agents act without asking, as ${account.name}: they can change and delete whatever ${account.name} can`
    case 'workspace':
      return "workspace: agents edit and run in the project, kept there by each coder's own mode or sandbox"
    case 'settings':
      return 'settings: fleet passes nothing to the coder, your own coder settings decide; a permission prompt that nobody answers stops a run'
  }
}
