import { openHomeStore } from '../app.ts'
import { keptAssignment } from '../domain/fleet/assignment.ts'
import { type Attention, attentionOf, type BlockedTask } from '../domain/fleet/attention.ts'
import { runningElsewhere } from '../domain/fleet/claimer.ts'
import type { ChangedFile } from '../domain/fleet/home-file.ts'
import type { Policy } from '../domain/fleet/policy.ts'
import { type RefusedModel, refusalOf } from '../domain/fleet/refused-model.ts'
import type { UnreviewedProject } from '../domain/fleet/unreviewed.ts'
import type { Run } from '../domain/run/run.ts'
import { settingsOf, type TaskSettings } from '../domain/task/settings.ts'
import type { Home } from '../platform/files/home.ts'
import { supervisorAlive } from '../platform/sqlite/supervisor-lock.ts'
import type { ListedTask } from '../ports/task-store.ts'
import { policyInForce } from './configuration.ts'
import { type Listed, listed } from './first-few.ts'
import { waitingChanges } from './home-changes.ts'
import { landingsIn, needOf, type WaitingLanding } from './landings.ts'
import { type NotRunning, type NotRunningSources, notRunning } from './not-running.ts'
import { type AwaitedReviewer, awaitedReviewer } from './review/awaited-reviewer.ts'
import { heldProjects } from './review/unreviewed.ts'
import { lackOf } from './supervisor.ts'
import { awaitedQuestions, knownOf } from './task-knowledge.ts'
import { type Verifying, verifyingNow } from './verifying.ts'

/** The state of the fleet at one moment. Its cost depends on the open tasks, never on the closed ones. */
export interface Snapshot {
  readonly now: number
  readonly supervisor: Supervisor | undefined
  readonly attention: Listed<Attention>
  readonly running: Listed<RunningTask>
  /** Tasks that run on other machines, where machines share the queue. */
  readonly elsewhere?: Listed<ElsewhereTask>
  /** Only with `all`. */
  readonly rest?: NotRunning
}

/** `pid` is null until the supervisor has written its record. */
export interface Supervisor {
  readonly pid: number | null
}

export interface RunningTask {
  readonly run: Run
  /** The settings on the task itself; all others are defaults. */
  readonly given: TaskSettings
  /** The command that it is being verified with. */
  readonly verifying?: Verifying | undefined
  /** The reviewer that it waits for. */
  readonly awaits?: AwaitedReviewer | undefined
}

export interface ElsewhereTask {
  readonly id: string
  readonly title: string
  readonly machine: string
}

interface SnapshotSources extends NotRunningSources {
  readonly policy: Policy | undefined
  readonly supervisor: Supervisor | undefined
  readonly changed: readonly ChangedFile[]
  /** The problem with the configuration. */
  readonly configuration: string | undefined
  /** Something that runs need and this machine does not have. */
  readonly lacks: string | undefined
  readonly unreviewed: readonly UnreviewedProject[]
  /** Those whose work is on its way to its target branch. */
  landing(): Promise<readonly WaitingLanding[]>
}

export interface SnapshotWish {
  readonly limit: number
  readonly all: boolean
}

export async function snapshot(home: Home, wish: SnapshotWish): Promise<Snapshot> {
  await using store = await openHomeStore(home, { readOnly: true })
  const holder = supervisorAlive(home)
  const { policy, problem } = await policyInForce(home, holder)
  return await snapshotOf(
    {
      store: store.queue,
      ledger: store.ledger,
      now: Date.now(),
      supervisor: holder === undefined ? undefined : { pid: holder.proc?.pid ?? null },
      changed: waitingChanges(home, store.record),
      configuration: problem,
      lacks: lackOf(home, holder),
      policy,
      unreviewed: await heldProjects(store, policy),
      assign: (settings) => policy?.assignment(settings),
      landing: () => landingsIn(home, store),
    },
    wish,
  )
}

async function snapshotOf(sources: SnapshotSources, wish: SnapshotWish): Promise<Snapshot> {
  const { store, ledger, now, supervisor, changed, configuration, lacks, unreviewed, policy } = sources
  const open = ledger.openRuns()
  const attention = attentionOf({
    now,
    supervisor: supervisor !== undefined,
    running: open.length,
    paused: ledger.paused(),
    changed,
    configuration,
    lacks,
    lanes: ledger.lanes(),
    onLane: (lane) => open.filter((run) => run.lane === lane).length,
    refusedModels: await missedModels(sources, wish.limit),
    unreviewed,
    questions: (await awaitedQuestions({ queue: store, ledger })).map(({ question }) => question),
    blocked: await blockedTasks(sources, wish.limit),
  })
  const running = listed(open, wish.limit)
  const given = await Promise.all(running.rows.map((run) => store.get(run.task)))
  return {
    now,
    supervisor,
    attention: listed(attention, wish.limit),
    running: {
      rows: running.rows.map((run, i) => ({
        run,
        given: settingsOf(given[i]?.metadata ?? {}),
        verifying: verifyingNow(ledger, run),
        awaits: awaitedReviewer(ledger, policy, run),
      })),
      more: running.more,
    },
    ...(store.records === undefined ? {} : { elsewhere: await elsewhereTasks(sources, wish.limit) }),
    ...(wish.all ? { rest: await notRunning(sources, wish.limit) } : {}),
  }
}

/** The refused models that ready tasks ask for. */
async function missedModels(
  { store, ledger, assign }: SnapshotSources,
  limit: number,
): Promise<readonly RefusedModel[]> {
  const refused = ledger.refusedModels().filter(({ trialFrom }) => trialFrom === null)
  if (refused.length === 0) return []
  const ready = await store.ready({ limit })
  const missed = ready.flatMap(({ id, metadata }) => {
    const assignment = assign(settingsOf(metadata))
    if (assignment === undefined) return []
    const { coder, model } = keptAssignment(assignment, ledger.stateOf(id))
    return refusalOf(refused, { lane: coder.value, model: model.value ?? '' }) ?? []
  })
  return [...new Set(missed)]
}

async function blockedTasks(
  { store, ledger, landing }: SnapshotSources,
  limit: number,
): Promise<readonly BlockedTask[]> {
  const blocked: ListedTask[] = []
  for await (const task of store.find({ statuses: ['blocked'], sort: 'updated', limit: limit + 1 })) blocked.push(task)
  const ids = blocked.map(({ id }) => id)
  const known = await knownOf({ queue: store, ledger }, ids)
  const landings = new Map((await landing()).map((each) => [each.landing.task, each]))
  return blocked.map(({ id, title, labels }) => {
    const { state, last } = known(id)
    const lands = landings.get(id)
    return { task: id, title, labels, state, lastRun: last, ...(lands && { landing: { why: needOf(lands) } }) }
  })
}

async function elsewhereTasks({ store, ledger }: SnapshotSources, limit: number): Promise<Listed<ElsewhereTask>> {
  const hosts = (await store.hosts?.all()) ?? []
  const rows: ElsewhereTask[] = []
  for await (const task of store.find({ statuses: ['in_progress'], sort: 'updated' })) {
    const at = ledger.openRunOf(task.id) === undefined ? runningElsewhere(task, hosts) : undefined
    if (at !== undefined) rows.push({ id: task.id, title: task.title, machine: at.machine })
    if (rows.length > limit) break
  }
  return listed(rows, limit)
}
