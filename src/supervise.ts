import { openHomeStore } from './app.ts'
import { agentReviewCheck } from './checks/review.ts'
import { projectVerifier } from './checks/verifier.ts'
import { verifyCheck } from './checks/verify.ts'
import { storesOf } from './coders/stores.ts'
import { withheldFromAgents } from './coders/withheld-variables.ts'
import { LivePolicy } from './config/live-policy.ts'
import { KnownSecrets } from './domain/agent/known-secrets.ts'
import type { ChangedFile } from './domain/fleet/home-file.ts'
import type { Log } from './domain/fleet/log-event.ts'
import type { RunFlags } from './domain/fleet/run-flags.ts'
import { removeAll } from './platform/files/folder.ts'
import type { Home } from './platform/files/home.ts'
import { watchWake } from './platform/files/wake-watch.ts'
import type { OwnerOf } from './platform/git/git-owner.ts'
import { localAgents } from './platform/process/agents.ts'
import { DeadManSwitch } from './platform/process/dead-man/dead-man.ts'
import { exitKeysOf } from './platform/process/exit-keys.ts'
import { openLauncher } from './platform/process/launcher.ts'
import { namespaceWorks } from './platform/process/namespace.ts'
import { supervisorPlace } from './platform/process/supervisor-place.ts'
import { hiddenProcesses } from './platform/process/table-standing.ts'
import { missingPrograms } from './platform/process/useful-programs.ts'
import { requireShell } from './platform/process/wrapper.ts'
import { sinceBoot } from './platform/runtime/boot-clock.ts'
import { Closing } from './platform/runtime/closing.ts'
import { account, hostName } from './platform/runtime/machine.ts'
import { oncePerTurn } from './platform/runtime/once-per-turn.ts'
import { delayOptimizer } from './platform/runtime/optimizer.ts'
import { thisMachine } from './platform/runtime/this-machine.ts'
import { atMost, wait } from './platform/runtime/wait.ts'
import { limitYoungGeneration } from './platform/runtime/young-generation.ts'
import { HostSandbox } from './platform/sandbox/host-sandbox.ts'
import { outsideCommands } from './platform/sandbox/outside-commands.ts'
import { homeAttempts } from './store/attempts.ts'
import { homeCoders } from './store/home-coders.ts'
import { homeEnvironment } from './store/home-environment.ts'
import { GuardedFiles } from './store/home-files.ts'
import { ownCommand } from './store/own-command.ts'
import { homeQuestions } from './store/questions-file.ts'
import { letDeniedGo, resumeClaiming } from './store/resume.ts'
import { retain } from './store/retention.ts'
import { retireWorktrees } from './store/retired-worktrees.ts'
import { supervisorLog } from './store/supervisor-log.ts'
import { homeTaskFiles } from './store/task-files.ts'
import { untilUnlocked } from './store/until-unlocked.ts'
import { warnOnReceipts } from './supervisor/ending/receipt.ts'
import { LanePlaces } from './supervisor/lane-places.ts'
import { hostHeartbeat } from './supervisor/shared/host-report.ts'
import { Supervisor, type SupervisorOptions } from './supervisor/supervisor.ts'
import type { World } from './supervisor/world.ts'
import { checkOut } from './workspace/clone.ts'
import { inPlace } from './workspace/in-place.ts'
import { landingPlace } from './workspace/landing/landing-place.ts'
import { homeWorktrees } from './workspace/worktree/worktrees.ts'

/** The composition root of the supervisor: the one place that says which concrete parts make it. */

export interface SuperviseOptions extends Omit<SupervisorOptions, 'once'> {
  readonly home: Home
  readonly env: NodeJS.ProcessEnv
  readonly flags?: RunFlags
  /** The program that agents call as `fleet`. */
  readonly program: { readonly node: string; readonly fleet: string; readonly version: string }
  /** Ends the wait for a queue that is not ready yet. */
  readonly signal?: AbortSignal
  /** Gets every log line besides the journal. */
  readonly tell?: Log
}

export interface Supervision extends AsyncDisposable {
  readonly supervisor: Supervisor
}

const CHECK_CONFIG_EVERY = 1000
/** The name of the agents' command in the record of the home's files. */
const OWN_COMMAND = 'bin/fleet'
const CHECK_BACKUP_EVERY = 60_000
const RETAIN_EVERY = 3_600_000
/** Between two tasks: a pass over ten thousand of them takes minutes, and never more than one task's time at once. */
const RETAIN_PAUSE = 20
/** Soon after the start: a supervisor may never run for an hour. */
const RETAIN_FIRST = 5000
/** How long to wait for the server to hear that this machine leaves. */
const LEAVE_MS = 3000
/** The loop must not wait long for another process's lock: failed work is retried. */
const BUSY_MS = 250

/** The caller holds the home's lock. */
export async function supervise(options: SuperviseOptions): Promise<Supervision> {
  const { home, env } = options
  if (options.claiming !== false) requireShell()
  limitYoungGeneration()
  const secrets = new KnownSecrets(withheldFromAgents())
  secrets.note(env)
  const log = supervisorLog(home, { redact: secrets.redact, tell: options.tell })
  const closing = new Closing()
  try {
    const supervisor = await opened(options, { secrets, log, closing })
    return { supervisor, [Symbol.asyncDispose]: () => closing[Symbol.asyncDispose]() }
  } catch (error) {
    log('start-failed', { why: error instanceof Error ? error.message : String(error) })
    // Anything that is still open keeps the process alive, without a supervisor in it.
    await closing[Symbol.asyncDispose]().catch(() => {})
    throw error
  }
}

interface Opening {
  readonly secrets: KnownSecrets
  readonly log: Log
  /** Closes what has been opened so far. */
  readonly closing: Closing
}

async function opened(options: SuperviseOptions, { secrets, log, closing }: Opening): Promise<Supervisor> {
  const { home, env, program, flags } = options
  const optimizer = delayOptimizer()
  if (options.claiming !== false) {
    for (const missing of missingPrograms(env)) log('program-missing', missing)
    const unseen = hiddenProcesses()
    if (unseen !== undefined) log('processes-hidden', unseen)
  }
  const { signal } = options
  const store = await untilUnlocked(() => openHomeStore(home, { busyTimeoutMs: BUSY_MS, log, signal }), signal)
  closing.add(() => store[Symbol.asyncDispose]())
  const { queue, ledger } = store
  const standing = store.watch()
  const homeFiles = new GuardedFiles(home, {
    record: store.record,
    openRuns: () => [...ledger.openRuns().map(({ id }) => id), ...ledger.landings.underWay().map(({ run }) => run)],
    now: Date.now,
    env,
    noticed: ({ path, runs }) => log('file-changed', { file: path, runs }),
    mended: ({ path, runs }) => log('file-repaired', { file: path, runs }),
    alsoLook() {
      // Nothing is made in a folder that stands in place of the home. A watch of its own: a look notes what it has seen.
      if (standing.lost() === undefined) binFolder()
    },
  })
  const live = await untilUnlocked(
    () => LivePolicy.open(home.config, { flags, secrets, read: homeFiles.config }),
    signal,
  )
  const { policy, config } = live
  const sayNoEffect = (keys: readonly string[]): void => {
    if (keys.length > 0) log('config-without-effect', { keys })
  }
  sayNoEffect(live.newsOfNoEffect())
  const attempts = homeAttempts(home)
  const binFolder = ownCommand(home, {
    program,
    lastWritten: () => store.record.accepted(OWN_COMMAND),
    wrote: (script) => store.record.accept(OWN_COMMAND, script),
    repaired: () => homeFiles.repaired(OWN_COMMAND),
  })
  await untilUnlocked(() => {
    binFolder()
    homeFiles.look()
  }, signal)
  // Earlier versions kept compiled code there, which no command loads any more.
  removeAll(`${home.path}/code`)
  // On a shared queue it may write to the store.
  const name = await untilUnlocked(() => store.claimer(hostName()), signal)
  const opening =
    options.claiming === false ? undefined : openLauncher({ home: home.path, gone: () => log('launcher-gone') })
  closing.add(async () => (await opening)?.[Symbol.dispose]())
  const sandbox = new HostSandbox({ fleetHome: home.path, env, isRoot: account().isRoot, program, storesOf })
  const [hasPidNamespaces, launcher] = await Promise.all([
    options.claiming === false ? false : namespaceWorks(),
    opening,
    options.claiming === false ? undefined : sandbox.try('on'),
  ])
  const place = supervisorPlace(home.path, launcher?.pid)
  let introduction: NodeJS.Timeout | undefined
  const introduce = (): void => {
    try {
      ledger.supervisedBy(place)
    } catch {
      // Another process holds the store for a while; the supervisor itself meets trouble that lasts.
      introduction = setTimeout(introduce, CHECK_CONFIG_EVERY)
    }
  }
  closing.add(() => clearTimeout(introduction))
  introduce()
  const isGuarded = options.claiming !== false && queue.shared === true
  const deadMan = isGuarded
    ? new DeadManSwitch({ program, home: home.path, env, gone: () => log('switch-gone') })
    : undefined
  closing.add(() => deadMan?.[Symbol.dispose]())
  const ending = new AbortController()
  let retaining = false
  const agents = localAgents({
    launcher,
    onStart: optimizer.postpone,
    keysOf: (run) => exitKeysOf(run, ledger.secret()),
  })
  const environment = homeEnvironment(home, { env, attempts, binFolder: oncePerTurn(binFolder), secrets, policy })
  const user = { config: homeFiles.userGit, signal: ending.signal }
  const ownerOf: OwnerOf = (task) => ({
    ...user,
    env: environment.ofProject({
      id: ledger.openRunOf(task)?.id ?? `${ledger.landings.of(task)?.run ?? task}-git`,
      task,
    }),
  })
  const checking = {
    home: home.path,
    agents,
    ownerOf,
    records: ledger.verify,
    environment,
    log,
    policy,
    namespace: () => hasPidNamespaces && policy().pidNamespace !== 'off',
  }
  const coders = homeCoders(home, { config, env })
  const verifier = projectVerifier(checking)
  const machine = thisMachine(home.path, { env, hasPidNamespaces })
  const lanes = new LanePlaces(() => world)
  const world: World = {
    name,
    home: home.path,
    version: program.version,
    queue,
    ledger,
    stores: store.watch(),
    records: queue.records,
    orders: queue.orders,
    ...(queue.hosts === undefined ? {} : { hosts: queue.hosts }),
    coders,
    agents,
    sandbox,
    outside: outsideCommands(program),
    ...(deadMan === undefined ? {} : { deadMan }),
    attempts,
    environment,
    workspace: { ...inPlace, checkOut: (order) => checkOut(order, user) },
    worktrees: homeWorktrees(home.path, { ownerOf, signal: ending.signal }),
    checks: [
      verifyCheck({ verifier, policy }),
      agentReviewCheck({ ...checking, coders, ledger, queue, machine, lanes }),
    ],
    verifier,
    landing: landingPlace(home, { ...user, ownerOf }),
    homeFiles,
    taskFiles: homeTaskFiles(home, {
      store: queue,
      by: name,
      record: store.record,
      now: Date.now,
      noticed: heldBack,
    }),
    questions: homeQuestions({ ledger, attempts, record: store.record, noticed: heldBack }),
    steering: {
      resume: (by) => resumeClaiming(store, { by, now: Date.now() }),
      letDeniedGo: (permissions) => letDeniedGo(store, { permissions, by: name }),
    },
    machine,
    clock: { now: Date.now, monotonic: () => performance.now(), sinceBoot },
    log,
    policy,
  }
  const supervisor = new Supervisor(world, { ...options, once: options.flags?.once ?? false })
  const heartbeat = hostHeartbeat(world, supervisor)
  if (heartbeat !== undefined) closing.add(() => atMost(LEAVE_MS, heartbeat.end()))
  const wake = watchWake(home.wake, () => supervisor.wake())
  closing.add(() => wake[Symbol.dispose]())
  const queueWake = queue.onWake?.(() => supervisor.queueChanged())
  closing.add(() => queueWake?.[Symbol.dispose]())
  closing.add(() => ending.abort())
  const timers = [
    setInterval(() => void refresh(), CHECK_CONFIG_EVERY),
    setInterval(() => store.backUpIfDue(), CHECK_BACKUP_EVERY),
    setTimeout(() => void retainNow(), RETAIN_FIRST),
    setInterval(() => void retainNow(), RETAIN_EVERY),
    store.lookEveryMs && setInterval(() => supervisor.queueChanged(), store.lookEveryMs),
  ]
  closing.add(() => {
    for (const timer of timers) clearInterval(timer)
  })
  return supervisor

  function heldBack(change: ChangedFile): void {
    log('file-changed', { file: change.path, runs: change.runs })
    warnOnReceipts(world, change)
  }

  async function retainNow(): Promise<void> {
    if (retaining || options.claiming === false) return
    retaining = true
    const { compress_after: compressAfter, remove_after: removeAfter } = config().retention
    const pause = async (): Promise<boolean> => {
      await wait(RETAIN_PAUSE)
      return ending.signal.aborted
    }
    try {
      const retention = { compressAfter, removeAfter }
      const { bytes, ...files } = await retain({ home, ledger, retention, now: Date.now(), dryRun: false, pause })
      if (Object.values(files).some((count) => count > 0)) log('output-retired', { ...files, bytes })
      const how = {
        ledger,
        worktrees: world.worktrees,
        taskOf: (task: string) => queue.get(task),
        byProductsOf: (project: string) => policy().byProducts(project),
        endedBefore: Date.now() - compressAfter,
        dryRun: false,
      }
      const { removed } = await retireWorktrees(how)
      const [stuck] = await world.worktrees.clearLeft()
      if (stuck !== undefined)
        log('work-failed', { what: 'retention', why: `${stuck.path} cannot be deleted: ${stuck.why}` })
      if (removed.length > 0) log('worktrees-removed', { tasks: removed })
    } catch (error) {
      if (!ending.signal.aborted) {
        log('work-failed', { what: 'retention', why: error instanceof Error ? error.message : String(error) })
      }
    } finally {
      retaining = false
    }
  }

  async function refresh(): Promise<void> {
    try {
      homeFiles.look()
    } catch {
      // The store may be busy. The next look comes in a second.
    }
    const change = await live.refresh()
    if (change === undefined) return
    if (change.kind === 'wrong') return log('config-invalid', { why: change.why })
    log('config-reloaded')
    sayNoEffect(change.news)
    supervisor.reconfigured()
  }
}
