import { join } from 'node:path'
import { openHomeStore } from './app.ts'
import { startCost } from './coders/registry.ts'
import { forgottenCoder } from './coders/user/forgotten.ts'
import { withheldFromAgents } from './coders/withheld.ts'
import { LiveConfig } from './config/live.ts'
import { policyOf, type RunFlags } from './config/policy.ts'
import { agentEnvironment, inheritedEnvironment } from './domain/agent/environment.ts'
import { secretsIn } from './domain/agent/withholding.ts'
import { sameHome } from './domain/fleet/claimer.ts'
import type { HostState } from './domain/fleet/host.ts'
import type { Log } from './domain/fleet/log-event.ts'
import type { Policy } from './domain/fleet/policy.ts'
import type { Blocker } from './domain/run/prompt.ts'
import { isSettled } from './domain/task/task.ts'
import { mapStrings, redact } from './domain/text/redact.ts'
import { versionIn } from './domain/text/version.ts'
import type { Home } from './platform/files/home.ts'
import { openJournal } from './platform/files/journal.ts'
import { directoryProblem } from './platform/files/paths.ts'
import { watchWake } from './platform/files/wake-watch.ts'
import { localAgents } from './platform/process/agents.ts'
import { openLauncher } from './platform/process/launcher.ts'
import { namespaceWorks } from './platform/process/namespace.ts'
import { changedAt, findProgram } from './platform/process/program.ts'
import { beFrugal } from './platform/runtime/frugal.ts'
import { account, availableMemory, freeDisk, hostName, processors } from './platform/runtime/machine.ts'
import { atMost } from './platform/runtime/wait.ts'
import type { TaskStore } from './ports/task-store.ts'
import { homeAttempts } from './store/attempts.ts'
import { editMeanwhile, refuseEdit, standing } from './store/edit-meanwhile.ts'
import { homeCoders, rememberedVersions } from './store/home-coders.ts'
import { ownCommand } from './store/own-command.ts'
import { appendAnswer, appendQuestion, takeInHandAnswer } from './store/questions-file.ts'
import { resumeClaiming } from './store/resume.ts'
import { type HandEdits, takeInHandEdit } from './store/task-file.ts'
import { waitedFor } from './supervisor/run/waited-for.ts'
import { Heartbeat } from './supervisor/shared/heartbeat.ts'
import { hostReport } from './supervisor/shared/host-report.ts'
import { Supervisor } from './supervisor/supervisor.ts'
import type { World } from './supervisor/world.ts'
import { artifactsSince } from './workspace/artifacts.ts'
import { checkOut } from './workspace/clone.ts'
import { inPlace } from './workspace/in-place.ts'

/** The composition root of the supervisor: the one place that says which concrete parts make it. */

export interface SuperviseOptions {
  readonly home: Home
  readonly env: NodeJS.ProcessEnv
  readonly flags?: RunFlags
  readonly once?: boolean
  /** false: only what is running already is looked after, until somebody ends it. */
  readonly claiming?: boolean
  /** Told what the supervisor does, when it has begun and whenever that changes. */
  readonly became?: (mode: HostState) => void
  /** When the home's lock was taken: from then on others may ask something of it. */
  readonly since?: number
  /** The program that agents call as `fleet`. */
  readonly program: { readonly node: string; readonly fleet: string; readonly version: string }
  /** Told besides the journal. */
  readonly tell?: Log
}

export interface Supervision extends AsyncDisposable {
  readonly supervisor: Supervisor
}

/** How often the configuration file is looked at. */
const CONFIG_EVERY = 1000
/** A look at whether there is anything to tell the others. */
const BEAT_LOOK = 1000
/** So long for the server to hear that this machine leaves. */
const LAST_WORD = 3000
/** A look at whether the hourly backup is due. */
const BACKUP_EVERY = 60_000

/** The caller holds the home's lock. */
export async function supervise(options: SuperviseOptions): Promise<Supervision> {
  const { home, env } = options
  const frugal = beFrugal()
  // The loop must not wait long for another process's lock: what fails is tried again.
  const store = await openHomeStore(home, { busyTimeoutMs: 250, log: (event, ...fields) => log(event, ...fields) })
  const config = await LiveConfig.open(home.config)
  const journal = openJournal(home.logging)
  const secrets = knownSecrets()
  secrets.note(env)
  const noteCoders = () => {
    const { coders, lanes } = config.config
    for (const { env = {} } of [...Object.values(coders), ...Object.values(lanes)]) secrets.note(env)
  }
  noteCoders()
  const tell = bestEffort(options.tell, (why) => journal('output-failed', { why }))
  const log: Log = (event, ...told) => {
    const fields = mapStrings(told, secrets.redact)
    journal(event, ...fields)
    tell(event, ...fields)
  }
  let policy: Policy = policyOf(config.config, options.flags)
  let given = inheritedEnvironment(env, policy.withholds)
  const attempts = homeAttempts(home)
  const binFolder = ownCommand(home, options.program)
  const { isRoot } = account()
  const [hasNamespaces, launcher] = await Promise.all([
    options.claiming === false ? false : namespaceWorks(),
    options.claiming === false ? undefined : openLauncher(() => log('launcher-gone')),
  ])
  const name = store.claimer(hostName())
  const versionOf = rememberedVersions(env)
  const ending = new AbortController()
  /** How task.json of what is claimed stood then. */
  const asClaimed = new Map<string, string | undefined>()
  const handEdits: HandEdits = {
    store: store.queue,
    home,
    by: name,
    atWork: () => false,
    right: (id) => void asClaimed.set(id, standing(home, id, Date.now())),
  }

  const agents = localAgents({ launcher })
  const world: World = {
    queue: store.queue,
    records: store.queue.records,
    orders: store.queue.orders,
    ledger: store.ledger,
    agents: {
      ...agents,
      start(order, ended) {
        frugal.busy()
        return agents.start(order, ended)
      },
    },
    attempts,
    workspace: { ...inPlace, checkOut: (order) => checkOut(order, ending.signal) },
    checks: [],
    ...(store.queue.hosts === undefined ? {} : { hosts: store.queue.hosts }),
    log,
    name,
    home: home.path,
    version: options.program.version,
    namespace: () => hasNamespaces && config.config.pid_namespace !== 'off',
    isRoot,
    clock: { now: Date.now, monotonic: () => performance.now() },
    machine: {
      findProgram: (each) => findProgram(each, env),
      changedAt,
      directoryProblem,
      freeDisk: () => freeDisk(home.path),
      freeMemory: everySecond(availableMemory),
      processors: processors(),
      hostName: hostName(),
      newId: () => crypto.randomUUID(),
      chance: Math.random,
    },
    policy: () => policy,
    coder: homeCoders(home, { config: () => config.config, versionOf }),
    forgottenCoder,
    versionOf: async (binary) => versionIn((await versionOf(binary)) ?? ''),
    startCost: (coder) => startCost(config.config.coders[coder]?.format ?? coder),
    async freshTask(id) {
      const task = await takeInHandEdit(handEdits, id)
      if (task !== undefined) takeInHandAnswer(store.ledger, id, { artifacts: attempts.artifacts(id), at: Date.now() })
      return task
    },
    editMeanwhile(id) {
      const before = asClaimed.get(id)
      asClaimed.delete(id)
      return editMeanwhile(store.queue, { home, id, before })
    },
    refuseEdit: (task) => refuseEdit(store.queue, home, task),
    blockersOf: (task) => blockersOf(store.queue, task, { artifacts: attempts.artifacts, here: name }),
    asked: (task, question) => appendQuestion(attempts.artifacts(task), question),
    answered: (task, answer) => appendAnswer(attempts.artifacts(task), answer),
    environmentOf: ({ id, task, attempt, coder }, more = {}) => {
      const extra = { ...more, ...policy.coderEnv(coder) }
      secrets.note(extra)
      return agentEnvironment(given, {
        home: home.path,
        taskId: task,
        runId: id,
        taskDir: attempts.taskFolder(task),
        artifactDir: attempts.artifacts(task),
        binFolder,
        tmp: attempts.temporary(task, attempt),
        extra,
      })
    },
    async resume(by) {
      const { paused, lanes } = await resumeClaiming(store, { by, now: Date.now() })
      return { paused, lanes: lanes.map((lane) => lane.name) }
    },
    redact: secrets.redact,
  }
  const supervisor = new Supervisor(world, options)
  const timers = [setInterval(() => void refresh(), CONFIG_EVERY), setInterval(() => store.backUpIfDue(), BACKUP_EVERY)]
  const { hosts, clock } = world
  const since = clock.now()
  const beat =
    hosts && new Heartbeat({ hosts, clock, log, report: () => hostReport(world, { since, ...supervisor.standing }) })
  if (beat !== undefined) timers.push(setInterval(() => beat.look(), BEAT_LOOK))
  const wake = watchWake(home.wake, () => supervisor.wake())
  const elsewhere = store.queue.onWake?.(() => supervisor.queueChanged())
  if (store.lookEveryMs !== undefined) timers.push(setInterval(() => supervisor.queueChanged(), store.lookEveryMs))
  return {
    supervisor,
    async [Symbol.asyncDispose]() {
      for (const timer of timers) clearInterval(timer)
      ending.abort()
      wake[Symbol.dispose]()
      elsewhere?.[Symbol.dispose]()
      launcher?.[Symbol.dispose]()
      if (beat !== undefined) await atMost(LAST_WORD, beat.end())
      await store[Symbol.asyncDispose]()
    },
  }

  async function refresh(): Promise<void> {
    if (!(await config.refresh())) return
    if (config.problem !== undefined) return log('config-invalid', { why: config.problem })
    policy = policyOf(config.config, options.flags)
    given = inheritedEnvironment(env, policy.withholds)
    noteCoders()
    log('config-reloaded')
    supervisor.reconfigured()
  }
}

/** Failing to print must not stop the supervisor: the disk may be full, or the terminal closed. */
function bestEffort(tell: Log | undefined, unheard: (why: string) => void): Log {
  let heard = true
  return (event, ...fields) => {
    try {
      tell?.(event, ...fields)
      heard = true
    } catch (error) {
      if (heard) unheard(String(error))
      heard = false
    }
  }
}

/** What no record may hold. Nothing is forgotten: an agent may still have what the configuration has no more. */
function knownSecrets() {
  const withholds = withheldFromAgents()
  let values: readonly string[] = []
  return {
    note(variables: Readonly<Record<string, string | undefined>>): void {
      const news = secretsIn(variables, withholds).filter((value) => !values.includes(value))
      if (news.length > 0) values = [...values, ...news].sort((a, b) => b.length - a.length)
    },
    redact: (text: string): string => redact(text, values),
  }
}

/** Asked for every claim, and worth asking once a second. */
function everySecond(ask: () => number): () => number {
  let answer = 0
  let askedAt = Number.NEGATIVE_INFINITY
  return () => {
    if (performance.now() - askedAt >= 1000) {
      askedAt = performance.now()
      answer = ask()
    }
    return answer
  }
}

/** Of one blocker, in the prompt of a task that waited for it. */
const ARTIFACTS_NAMED = 100

/** What a task waited for, and what came of it. */
async function blockersOf(
  store: TaskStore,
  task: string,
  { artifacts, here }: { artifacts: (task: string) => string; here: string },
): Promise<readonly Blocker[]> {
  const blockers: Blocker[] = []
  const ids = await waitedFor(store, task)
  const records = (await store.records?.of(ids)) ?? []
  for (const each of ids) {
    const blocker = await store.get(each)
    if (blocker === undefined || !isSettled(blocker)) continue
    const record = records.find((each) => each.task === blocker.id)
    const elsewhere = record !== undefined && record.host !== '' && !sameHome(record.host, here)
    const { id, title, close_reason: summary } = blocker
    const outputs = await artifactsSince(artifacts(id), 0)
    const named = outputs.slice(0, ARTIFACTS_NAMED)
    const paths = named.map((path) => join(artifacts(id), path))
    blockers.push({ id, title, summary, artifacts: paths, ...(elsewhere ? { machine: record.machine } : {}) })
  }
  return blockers
}
