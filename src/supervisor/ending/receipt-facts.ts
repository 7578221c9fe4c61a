import type { GivenOnReceipt, PhaseOnReceipt } from '../../domain/run/receipt.ts'
import { ownLaunchRecord } from '../run/launch-record.ts'
import type { LiveRun } from '../run/live-run.ts'
import type { World } from '../world.ts'
import { launchFacts } from './launch-facts.ts'

/** The prompt, directory and permissions of a run at its start, by its launch record. */
export function givenTo(world: Pick<World, 'attempts' | 'ledger'>, live: LiveRun): GivenOnReceipt {
  const { record } = live
  const { permissions, promptSizes, promptBytes, sandbox } = launchFacts(ownLaunchRecord(world, live))
  return {
    cwd: record.cwd,
    prompt: promptSizes,
    prompt_bytes: promptBytes ?? null,
    permissions: permissions ?? null,
    ...(sandbox === undefined ? {} : { sandbox }),
    resumes: record.resumes,
  }
}

/** A supervisor that adopts a run does not know when its first event came, or when its agent ended. */
export function phasesOf({ startedAt, output, ending, coder }: LiveRun, now: number): readonly PhaseOnReceipt[] {
  const { goneAt, checkedFrom } = ending
  const { firstEventAt, old } = output
  const phase = (name: PhaseOnReceipt['name'], from: number, to: number): PhaseOnReceipt[] => [
    { name, ms: Math.max(0, Math.round(to - from)) },
  ]
  const own =
    old !== undefined || goneAt === undefined
      ? []
      : coder.traits.stream === 'text'
        ? phase('working', startedAt, goneAt)
        : firstEventAt === undefined
          ? phase('starting', startedAt, goneAt)
          : [...phase('starting', startedAt, firstEventAt), ...phase('working', firstEventAt, goneAt)]
  return [
    ...own,
    ...(goneAt === undefined ? [] : phase('judging', goneAt, checkedFrom ?? now)),
    ...(checkedFrom === undefined ? [] : phase('checking', checkedFrom, now)),
  ]
}
