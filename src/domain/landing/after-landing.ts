import type { Outcome } from '../run/outcome.ts'
import { bounded } from '../text/bounded.ts'
import type { Landing } from './landing.ts'
import type { Plan } from './plan.ts'
import { differenceText, type TrustedPrograms } from './trust.ts'

/** The message to the agent of a task that did not land, as an outcome of the one table. */

const MOST_FILES = 20
const OUTPUT_CHARS = 3000

interface Clash {
  readonly files: readonly string[]
  readonly output: string
}

/** How fleet tried to bring it onto its target. */
interface Way {
  readonly target: string
  readonly plan: Plan
}

export function conflictOutcome(landing: Landing, way: Way, { files, output }: Clash): Outcome {
  const named = files.slice(0, MOST_FILES).map((path) => JSON.stringify(path))
  const more = files.length > MOST_FILES ? ` and ${files.length - MOST_FILES} more` : ''
  const text = [
    `its work passed, but conflicts with what is on ${way.target} by now: ${named.join(', ')}${more}.`,
    `${bringIt(landing, way)}, resolve the conflicts so that both changes keep their purpose, check the result, and say`,
    `fleet done again.`,
  ].join(' ')
  return { code: 'conflict', text, ...detailsOf('git', output), times: landing.bounces + 1 }
}

interface Red {
  /** The check that failed, or the hook that refused it. */
  readonly by: string
  readonly output: string
}

export function redOutcome(landing: Landing, way: Way, { by, output }: Red): Outcome {
  const text = [
    `its work passed alone, but not together with what is on ${way.target} by now: ${by}.`,
    `${bringIt(landing, way)}, fix what fails there, and say fleet done again.`,
  ].join(' ')
  return { code: 'verify-failed', text, ...detailsOf('it', output) }
}

/** Without --onto, git would put commits back that a person took off the target, or land again what has landed. */
function bringIt({ branch, base }: Landing, { target, plan }: Way): string {
  const isAlone = plan.how === 'rebase' && plan.since === 'base'
  const command = isAlone ? `git rebase --onto ${target} ${base.slice(0, 12)}` : `git rebase ${target}`
  return `Bring ${branch} onto ${target} in your worktree (${command})`
}

function detailsOf(who: string, output: string): { details?: string } {
  const trimmed = output.trim()
  return trimmed === ''
    ? {}
    : { details: `What ${who} printed:\n${bounded(trimmed, OUTPUT_CHARS).replace(/^/gm, '    ')}` }
}

/** `trusted`: undefined: no agent of this home has worked there, so there is nothing to compare with. */
export function programsChangedText(task: string, trusted: TrustedPrograms | undefined): string {
  const found = trusted?.found
  const what = found ? differenceText(trusted, found) : ''
  const named = what === '' ? '' : ` (seen at the run of ${trusted?.changedBy}): ${what}`
  return `hooks, filters or configuration of its repository were changed while agents ran, so none of them is run${named}; fleet review ${task} shows them; fleet land ${task} --trust lets them run`
}
