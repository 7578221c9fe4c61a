import type { Outcome } from '../run/outcome.ts'
import { bounded } from '../text/bounded.ts'
import type { Landing } from './landing.ts'

/** What goes back to the agent of a task that did not land, as an outcome of the one table. */

const MOST_FILES = 20
const OUTPUT_CHARS = 3000

interface Clash {
  readonly files: readonly string[]
  readonly output: string
}

export function conflictOutcome({ branch, bounces }: Landing, target: string, { files, output }: Clash): Outcome {
  const named = files.slice(0, MOST_FILES).map((path) => JSON.stringify(path))
  const more = files.length > MOST_FILES ? ` and ${files.length - MOST_FILES} more` : ''
  const text = [
    `its work passed, but conflicts with what is on ${target} by now: ${named.join(', ')}${more}.`,
    `Bring ${branch} onto ${target} in your worktree (git rebase ${target}), resolve the conflicts so that both changes keep`,
    `their purpose, check the result, and say fleet done again.`,
  ].join(' ')
  return { code: 'conflict', text, ...detailsOf('git', output), times: bounces + 1 }
}

interface Red {
  /** The check that failed, or the hook that refused it. */
  readonly by: string
  readonly output: string
}

export function redOutcome({ branch }: Landing, target: string, { by, output }: Red): Outcome {
  const text = [
    `its work passed alone, but not together with what is on ${target} by now: ${by}.`,
    `Bring ${branch} onto ${target} in your worktree (git rebase ${target}), fix what fails there, and say fleet done again.`,
  ].join(' ')
  return { code: 'verify-failed', text, ...detailsOf('it', output) }
}

function detailsOf(who: string, output: string): { details?: string } {
  const trimmed = output.trim()
  return trimmed === ''
    ? {}
    : { details: `What ${who} printed:\n${bounded(trimmed, OUTPUT_CHARS).replace(/^/gm, '    ')}` }
}

export const PROGRAMS_CHANGED =
  'hooks, filters or configuration of its repository were changed while agents worked there, so none of them is run'
