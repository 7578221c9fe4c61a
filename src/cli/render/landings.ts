import { bounded } from '../../domain/text/bounded.ts'
import { moment } from '../../domain/text/moment.ts'
import { plainLine } from '../../domain/text/plain.ts'
import type { LandingStanding, WaitingLanding } from '../../views/landings.ts'

/** A task that waits to land, and what it waits for. */
export function landingLines({ landing, target, stands }: WaitingLanding, now: number): string[] {
  const { task, title, repository, branch, queuedAt } = landing
  return [
    `${task}  ${bounded(plainLine(title), 200)}  (waits since ${moment(queuedAt, now)})`,
    `  ${plainLine(branch)} onto ${plainLine(target ?? '(no branch)')} of ${plainLine(repository)}`,
    `  ${STANDS[stands.kind](task, stands)}`,
  ]
}

const STANDS: Record<LandingStanding['kind'], (task: string, stands: LandingStanding) => string> = {
  held: (task) => `waits for you: fleet land ${task}`,
  waits: (_, stands) => (stands.kind === 'waits' ? bounded(plainLine(stands.why), 400) : ''),
  checking: () => 'its checks run on the merged tree',
  next: () => 'lands when it is its turn',
}
