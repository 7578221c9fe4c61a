import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { createLocalQueue, type HomeStore, openLedger, openLocalStore } from '../../src/app.ts'
import { loadConfig } from '../../src/config/load.ts'
import { policyOf } from '../../src/config/policy.ts'
import type { LogEventName } from '../../src/domain/fleet/log-event.ts'
import { Home } from '../../src/platform/files/home.ts'
import { directoryProblem, realPathOf } from '../../src/platform/files/paths.ts'
import { isSameFolder, wayDown } from '../../src/platform/files/same-folder.ts'
import { localAgents } from '../../src/platform/process/agents.ts'
import { exitKeysOf } from '../../src/platform/process/exit-keys.ts'
import { changedAt, findProgram } from '../../src/platform/process/program.ts'
import { newKeyPair } from '../../src/platform/runtime/key-pair.ts'
import { homeAttempts } from '../../src/store/attempts.ts'
import { homeCoders } from '../../src/store/home-coders.ts'
import { Supervisor } from '../../src/supervisor/supervisor.ts'
import type { World } from '../../src/supervisor/world.ts'
import { inPlace } from '../../src/workspace/in-place.ts'
import { landingPlace } from '../../src/workspace/landing/landing-place.ts'
import { homeWorktrees } from '../../src/workspace/worktree/worktrees.ts'
import { temporaryFolder } from './cli.ts'
import { OWNER, ownerOf } from './git-owner.ts'

type Queue = World['queue']
type Logged = readonly [event: LogEventName, fields: object]

/** A supervisor in this process, on a new home, with real agents, for tests that control the queue's answers. */
export interface TestWorld {
  readonly world: World
  readonly store: HomeStore
  readonly logged: readonly Logged[]
  /** Creates a task for the shell coder; `fleet`: its other settings. */
  script(text: string, fleet?: Readonly<Record<string, string>>): Promise<string>
  /** Makes a request to the supervisor; returns a function that reads the answer. */
  ask(kind: 'kill' | 'pause-task', task: string): () => string | null | undefined
  status(id: string): Promise<string | undefined>
  supervisor(options?: ConstructorParameters<typeof Supervisor>[1]): Supervisor
}

/** `answers` overrides parts of the local queue, `more` parts of the rest of the world. */
export async function testWorld(
  answers: (queue: Queue) => Partial<Queue> = () => ({}),
  more: (world: World) => Partial<World> = () => ({}),
): Promise<TestWorld> {
  const folder = temporaryFolder()
  const [home, project] = [new Home(join(folder, 'home')), join(folder, 'project')]
  for (const path of [home.path, project]) mkdirSync(path)
  createLocalQueue(home)
  const store = openLocalStore(home)
  const { config } = await loadConfig(home.config)
  const base = policyOf(config)
  const policy = { ...base, limits: { ...base.limits, grace: 1000 } }
  const attempts = homeAttempts(home)
  const logged: Logged[] = []
  const usual: World = {
    queue: overlaid(store.queue, answers(store.queue)),
    records: undefined,
    orders: undefined,
    ledger: store.ledger,
    stores: { lost: () => undefined, rescue: () => undefined },
    agents: localAgents({ keysOf: (run) => exitKeysOf(run, store.ledger.secret()) }),
    outside: { run: async () => ({ v: 1, code: 1, out: '', err: '', letters: [] }) },
    sandbox: { standing: () => ({ kind: 'works' }), enclose: (command) => command },
    attempts,
    workspace: inPlace as World['workspace'],
    worktrees: homeWorktrees(home.path, { ownerOf }),
    verifier: {
      hasCommands: () => false,
      keyOf: () => '',
      verify: async () => ({ kind: 'none' }),
      verifyWithBase: async () => ({ kind: 'untouched' }),
      lostTests: async () => ({ removed: 0, skipped: 0 }),
      end: async () => {},
      forget: () => {},
    },
    landing: landingPlace(home, { ...OWNER, ownerOf }),
    checks: [],
    log: (event, ...[fields]) => void logged.push([event, fields ?? {}]),
    name: 'fleet@test',
    home: home.path,
    version: '0',
    clock: { now: Date.now, monotonic: () => performance.now(), sinceBoot: () => performance.now() },
    machine: {
      findProgram: (name) => findProgram(name, process.env),
      changedAt,
      directoryProblem,
      isSameFolder,
      realPath: realPathOf,
      contains: (folder, path) => wayDown(folder, path) !== undefined,
      homeProblem: () => undefined,
      openFilesLimit: () => undefined,
      isFreePort: async () => true,
      freeDisk: () => 1e12,
      freeMemory: () => 1e12,
      processors: 2,
      hostName: 'test',
      userHome: '/home/tester',
      hasPidNamespaces: false,
      isRoot: true,
      newId: () => crypto.randomUUID(),
      newKeyPair,
      chance: () => 0.5,
    },
    policy: () => policy,
    coders: { ...homeCoders(home, { config: () => config, env: process.env }), startCost: () => 0 },
    taskFiles: {
      takeInEdit: (id) => store.queue.get(id),
      editDuringRun: async () => undefined,
      refuseEdit: async () => {},
    },
    homeFiles: {
      agentsRanAt: () => false,
      expose: () => {},
      look: () => {},
      endExposure: () => true,
      changesDuring: () => [],
    },
    questions: { asked: () => {}, answered: () => {}, takeInAnswer: () => undefined },
    environment: {
      of: ({ id }) => ({ PATH: process.env['PATH'] ?? '', FLEET_RUN_ID: id }),
      ofProject: ({ id, task }) => ({ PATH: process.env['PATH'] ?? '', FLEET_RUN_ID: id, FLEET_TASK_ID: task }),
      redact: (text) => text,
    },
    steering: { resume: async () => ({ paused: false, lanes: [], models: [] }), letDeniedGo: async () => [] },
  }
  const world = { ...usual, ...more(usual) }
  const made: Supervisor[] = []
  onTestFinished(async () => {
    for (const each of made) each.keep({ force: true })
    const { agents, ledger } = world
    for (const [run, found] of agents.sweep()) {
      if (ledger.run(run) !== undefined) for (const each of found) agents.kill(each)
    }
    await store[Symbol.asyncDispose]()
  })
  return {
    world,
    store,
    logged,
    async script(description, fleet = {}) {
      const metadata = { fleet: { cwd: project, coder: 'shell', ...fleet } }
      return (await store.queue.create({ title: 'A script', description, metadata }, 'tester')).id
    },
    ask(kind, task) {
      using other = openLedger(home)
      const { id } = other.request(kind, task, 'anna', Date.now())
      return () => store.ledger.requestById(id)?.answer
    },
    status: async (id) => (await store.queue.get(id))?.status,
    supervisor(options) {
      const supervisor = new Supervisor(world, options)
      made.push(supervisor)
      return supervisor
    },
  }
}

function overlaid(queue: Queue, answers: Partial<Queue>): Queue {
  return new Proxy(queue, {
    get(target, name) {
      const own = answers[name as keyof Queue]
      if (own !== undefined) return own
      const value = target[name as keyof Queue] as unknown
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}
