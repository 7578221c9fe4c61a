import type { Outcome } from '../../domain/run/outcome.ts'
import type { Run } from '../../domain/run/run.ts'
import { mendLanes } from '../lanes.ts'
import { CROWD_MS, paced } from '../paced.ts'
import type { RetryingWork } from '../retrying-work.ts'
import { writeLog } from '../run/follow.ts'
import type { LiveRun } from '../run/live-run.ts'
import { endLine } from '../run/task-log.ts'
import type { World } from '../world.ts'
import { type RecordedEnd, recordEnd, type Settled, settle, tellQuestion } from './conclude.ts'

interface Ending {
  readonly live: LiveRun
  readonly outcome: Outcome
}

/** Runs whose outcome is known, until their tasks are settled and nothing is left to do for them. */
export class Endings {
  readonly #world: World
  readonly #work: RetryingWork
  readonly #runs: Map<string, LiveRun>
  readonly #changed: () => void
  /** Not written yet. */
  readonly #ending: Ending[] = []
  /** Tasks that were left blocked. */
  blocked = 0

  /** Who is done with is taken from `runs`; then `changed` is called. */
  constructor(world: World, work: RetryingWork, of: { runs: Map<string, LiveRun>; changed: () => void }) {
    this.#world = world
    this.#work = work
    this.#runs = of.runs
    this.#changed = of.changed
  }

  /** With all that end in the same moment, so that they share their transactions. */
  add(ending: Ending): void {
    this.#ending.push(ending)
    this.#concludeAll()
  }

  readonly #concludeAll = paced(CROWD_MS, () => {
    const batch = this.#ending.splice(0)
    this.#work.run(`conclude ${batch[0]?.live.record.id}`, () => this.#conclude(batch))
  })

  /**
   * Each step may fail and be done again: what is in the ledger is not written twice, and a claim settles once. One that
   * cannot be settled yet keeps no other waiting.
   */
  async #conclude(endings: readonly Ending[]): Promise<void> {
    const world = this.#world
    const batch = endings.filter(({ live }) => this.#runs.has(live.record.id))
    const again = batch.some(({ live }) => live.concluding)
    for (const { live } of batch) live.concluding = true
    const ends = world.ledger.together(() =>
      batch.map(({ live, outcome }) => {
        const end = live.end ?? (again ? endInLedger(world, live) : undefined) ?? recordEnd(world, live, outcome)
        const settled = settle(world, end.run)
        settled.catch(() => {}) // awaited below; until then a failure of another must not end the process
        return { live, end, settled }
      }),
    )
    for (const { live, end } of ends) live.end = end
    const failed: unknown[] = []
    for (const { live, end, settled } of ends) {
      try {
        this.#told(end.run, await settled)
        this.#wrapUp(live, end)
      } catch (error) {
        failed.push(error)
        // Nothing of it is left, and who asked for that need not wait for the queue.
        this.#answer(live, '; the queue does not answer, and is told when it does')
      }
    }
    try {
      await mendLanes(
        world,
        ends.map(({ live }) => live),
      )
    } finally {
      if (failed.length < ends.length) this.#changed()
    }
    if (failed.length > 0) throw failed[0]
  }

  #wrapUp(live: LiveRun, { run, failures }: RecordedEnd): void {
    const { attempts } = this.#world
    const { id, task, attempt } = run
    this.#work.attempt('write the question', () => tellQuestion(this.#world, live, run))
    this.#work.attempt('write the task folder', () => {
      attempts.project(task, { attempt, failures })
      writeLog(this.#world, live, endLine(run))
    })
    this.#answer(live)
    this.#runs.delete(id)
  }

  #answer(live: LiveRun, more = ''): void {
    const { ledger, clock } = this.#world
    const end = { kind: 'done', at: clock.now(), text: `${tookText(live)}${more}` } as const
    for (const request of live.requests) ledger.endRequest(request, end)
    live.requests.length = 0
  }

  /** What an earlier supervisor had written down already. */
  async settle(run: Run): Promise<void> {
    this.#told(run, await settle(this.#world, run))
  }

  #told({ task, attempt, id, outcome }: Run, { next, ours }: Settled): void {
    const { ledger, log } = this.#world
    this.#work.writeLater(() => ledger.settled(id))
    log('run-ended', { task, attempt, run: id, outcome: outcome?.code, why: outcome?.text, becomes: next?.to, ours })
    if (ours && next?.to === 'blocked') this.blocked++
  }
}

/** What an earlier try has written already. */
function endInLedger({ ledger }: World, { record }: LiveRun): RecordedEnd | undefined {
  const run = ledger.run(record.id)
  if (run?.phase !== 'ended' && run?.phase !== 'settled') return undefined
  return { run, failures: ledger.stateOf(record.task).failures }
}

/** For the person who asked for the end and waits. */
function tookText({ leftovers, state, forced }: LiveRun): string {
  const outcome = `${state.phase === 'ended' ? state.outcome.text : 'ended'} (${forced ? 'SIGKILL' : 'SIGTERM'})`
  const took = leftovers.map(({ pid, command }) => `${pid} (${command.slice(0, 60)})`)
  return took.length === 0 ? outcome : `${outcome}; killed what was left: ${took.join(', ')}`
}
