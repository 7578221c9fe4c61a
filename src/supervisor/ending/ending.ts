import type { CheckResult } from '../../domain/run/check-result.ts'
import { afterChecks } from '../../domain/run/check-result.ts'
import type { Outcome } from '../../domain/run/outcome.ts'
import type { Run } from '../../domain/run/run.ts'
import type { RunInput } from '../../domain/run/run-machine.ts'
import { AppError } from '../../errors.ts'
import { LET_GO } from '../../ports/verifier.ts'
import { withLanding } from '../landing/enter.ts'
import { comparePrograms } from '../landing/trust.ts'
import type { RetryingWork } from '../retrying-work.ts'
import { writeDown } from '../run/follow.ts'
import type { LiveRun } from '../run/live-run.ts'
import { unlessUnread } from '../run/messages.ts'
import type { Tally } from '../tally.ts'
import { CROWD_MS, sharedTurns } from '../throttle.ts'
import type { World } from '../world.ts'
import { mendRun, toleratingDamage } from './agent-damage.ts'
import { lookAtBounds, withinBounds } from './bounds.ts'
import { lookAtChanges } from './changes.ts'
import { checksOf, endChecks, runChecks } from './checks.ts'
import { answerRequests } from './clean-up.ts'
import { Conclusions } from './conclusions.ts'
import { eachOnce } from './each-once.ts'
import { judgeRun } from './judge.ts'
import { judgedByKept, keepWork, relink } from './keep-work.ts'
import { readRest } from './read-rest.ts'
import { writeReceipt } from './receipt.ts'
import { lookAtRemains, putEditAside, release, tellEdit } from './remains.ts'

interface Surroundings {
  /** Tells the run machine. */
  advance(live: LiveRun, input: RunInput): void
  readonly runs: Map<string, LiveRun>
  readonly tally: Tally
  changed(): void
}

/** Beyond the time in which the processes of its checks end. */
const HANGING_MS = 10_000

/**
 * How a run ends, once no process of it is left:
 *
 *   mend its folder → read the rest → look at changes → judge → keep the work → checks → decide → receipt → ledger → settle → clean up
 *
 * The run machine decides, once: when it is told `judged`, or `checked` where there are checks. Before that a stop may
 * still change the outcome; after that nothing does, and receipt and ledger say the same. Each step may fail and is retried.
 */
export class Ending {
  readonly #world: World
  readonly #work: RetryingWork
  readonly #advance: Surroundings['advance']
  readonly #conclusions: Conclusions
  readonly #runs: ReadonlyMap<string, LiveRun>
  readonly #changed: () => void
  /** One look serves all runs whose processes were gone before it began. */
  readonly #lookAtHome: () => Promise<void>
  /** Of the runs that are being checked. */
  readonly #aborts = new Map<string, AbortController>()
  #letGo = false

  constructor(world: World, work: RetryingWork, { advance, runs, tally, changed }: Surroundings) {
    this.#world = world
    this.#work = work
    this.#advance = advance
    this.#runs = runs
    this.#changed = changed
    this.#conclusions = new Conclusions(world, work, { runs, tally, changed })
    this.#lookAtHome = sharedTurns(CROWD_MS, () => world.homeFiles.look())
  }

  judge(live: LiveRun): void {
    const world = this.#world
    live.ending.goneAt = world.clock.monotonic()
    this.#run(live, 'judge', async () => {
      const looked = this.#lookAtHome()
      looked.catch(() => {}) // awaited below; until then its failure must not end the process
      mendRun(world, live)
      live.ending.launchRecord = undefined
      await toleratingDamage(world, live, () => readRest(world, live))
      relink(world, live)
      await comparePrograms(world, live.record)
      const changes = await toleratingDamage(world, live, () => lookAtChanges(world, live, this.#runs.values()))
      const remains = await lookAtRemains(world, live, looked)
      const found = judgeRun(world, live, changes)
      const work = await keepWork(world, live, this.#runs.values())
      const worktree = typeof work === 'string' ? undefined : work
      const bounds = lookAtBounds(world, live, changes)
      const findings = { ...found, changes, bounds, checks: [], worktree, ...remains }
      const kept = judgedByKept(found.judgement, work)
      const checked = checksOf(world, live, findings).length
      const judged = checked === 0 ? afterChecks(kept, [], found.closeAt) : kept
      const judgement = { ...judged, outcome: unlessUnread(world, live, judged.outcome) }
      const checks = judgement.outcome.code === 'told' ? 0 : checked
      live.ending.findings = { ...findings, judgement }
      const { code, text } = judgement.outcome
      // The next one would meet the same.
      if (code === 'never-started') this.#work.trouble(new AppError('failed', text), 'launch')
      const isToBeChecked = checks > 0 && judgement.outcome.code === 'done'
      const outcome = isToBeChecked ? judgement.outcome : withLanding(withinBounds(judgement.outcome, { bounds }), live)
      this.#decide(live, { kind: 'judged', outcome, checks })
    })
  }

  check(live: LiveRun): void {
    const world = this.#world
    const { id } = live.record
    const { findings } = live.ending
    if (findings === undefined) return
    const results: CheckResult[] = []
    live.ending.checkedFrom = world.clock.monotonic()
    const abort = new AbortController()
    this.#aborts.set(id, abort)
    this.#work.writeLater(() => world.ledger.checking(id))
    this.#work.attempt('write down', () => writeDown(world, live))
    this.#work.run(workOn(live).check, async () => {
      const waits = (why: string | undefined) => this.#waits(live, why)
      await runChecks(world, live, { findings, results, signal: abort.signal, waits })
      // A check runs what the agent has written, which may change task.json, too.
      const { outcome, level } = afterChecks(findings.judgement, results, findings.closeAt)
      const remains = await lookAtRemains(world, live, this.#lookAtHome())
      live.ending.findings = { ...findings, level, checks: results, ...remains }
      this.#aborts.delete(id)
      const judged = withinBounds(unlessUnread(world, live, outcome), findings)
      this.#decide(live, { kind: 'checked', outcome: withLanding(judged, live) })
    })
  }

  /** Its slot is free meanwhile. */
  #waits(live: LiveRun, why: string | undefined): void {
    const { ending, record } = live
    if (ending.waitsFor === why) return
    const hasBegun = ending.waitsFor === undefined
    ending.waitsFor = why
    if (!hasBegun) return
    this.#world.log('check-waits', { task: record.task, run: record.id, why })
    this.#changed()
  }

  /** No process of the run is left, and the machine keeps its end from being decided or written down. */
  isStuck(live: LiveRun): boolean {
    return Object.values(workOn(live)).some((name) => this.#work.isFailing(name)) || this.#hangs(live)
  }

  /** A look at files may never return, as on a disk of the network that is gone. */
  #hangs({ ending: { goneAt, stopAskedAt } }: LiveRun): boolean {
    if (goneAt === undefined || stopAskedAt === undefined) return false
    const { clock, policy } = this.#world
    return clock.monotonic() - Math.max(goneAt, stopAskedAt) > policy().limits.grace + HANGING_MS
  }

  answerIfHung(live: LiveRun): void {
    if (live.ending.requests.length === 0 || live.ending.recorded !== undefined || !this.#hangs(live)) return
    const more = '; fleet still looks at its work, and writes down how it ended after that'
    this.#work.attempt('answer requests', () => answerRequests(this.#world, live, more))
  }

  /** No process is left: the person who asked for that need not wait for a machine in trouble. */
  #run(live: LiveRun, name: keyof ReturnType<typeof workOn>, work: () => Promise<void>): void {
    this.#work.run(workOn(live)[name], async () => {
      try {
        await work()
      } catch (error) {
        const more = '; how it ended will be written down when the machine allows it'
        this.#work.attempt('answer requests', () => answerRequests(this.#world, live, more))
        throw error
      }
    })
  }

  abortChecks({ record }: LiveRun): void {
    this.#aborts.get(record.id)?.abort()
  }

  /** The next supervisor judges and checks the runs that are undecided by then. */
  letGo(checks: 'keep' | 'end'): void {
    this.#letGo = true
    for (const abort of this.#aborts.values()) abort.abort(checks === 'keep' ? LET_GO : undefined)
  }

  #decide(live: LiveRun, input: RunInput): void {
    if (!this.#letGo) this.#advance(live, input)
  }

  /** The outcome is decided. A run that was never started has no findings, and gets no receipt. */
  settle(live: LiveRun, outcome: Outcome): void {
    const world = this.#world
    const { findings } = live.ending
    const conclude = (): void => this.#conclusions.add({ live, outcome })
    if (findings === undefined) {
      conclude()
      return
    }
    const { edit } = findings
    const steps = eachOnce(
      () => endChecks(world, live, findings),
      () => writeReceipt(world, live, { findings, outcome: unlessUnread(world, live, outcome) }),
      () => edit && tellEdit(world, live, edit),
      () => edit && putEditAside(world, live),
      () => release(world, live, findings),
      conclude,
    )
    this.#run(live, 'receipt', steps)
  }

  /** Settles a run whose end an earlier supervisor has written to the ledger. */
  async settleEnded(run: Run): Promise<void> {
    await this.#conclusions.settle(run)
  }
}

/** The names of the work that a run still has to go through when its processes have gone. */
function workOn({ record: { id } }: LiveRun): Readonly<Record<'judge' | 'check' | 'receipt', string>> {
  return { judge: `judge ${id}`, check: `check ${id}`, receipt: `write the receipt of ${id}` }
}
