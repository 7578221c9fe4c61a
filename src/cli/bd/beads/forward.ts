import { openBeadsQueue } from '../../../app.ts'
import { bdEnvironment, CALLED_BY_FLEET } from '../../../domain/queue/bd-environment.ts'
import { type BdFeatures, FLEET_ITSELF } from '../../../domain/queue/bd-version.ts'
import { plain } from '../../../domain/text/plain.ts'
import { touchWake } from '../../../platform/files/wake.ts'
import { writeErr } from '../../../platform/terminal/output.ts'
import { BdFailure } from '../command.ts'
import { type BdWorld, commandIndex, directoryFrom, dispatch } from '../dispatch.ts'
import { REFUSED_GLOBAL_FLAGS } from '../global-flags.ts'
import { SETTINGS_FLAGS } from '../parts/issue-flags.ts'
import { warningOfRunning } from '../parts/warn-running.ts'
import { createInBeads } from './create.ts'
import { forward } from './real-bd.ts'
import { split } from './split.ts'
import { updateSettings } from './update.ts'
import { VALUE_FLAGS } from './value-flags.ts'

/** Runs the real bd on the home's database. */
export interface Forwarding {
  /** The bd to run. */
  readonly file: string
  readonly features: BdFeatures
  readonly queue: Awaited<ReturnType<typeof openBeadsQueue>>
  /** The user's working directory: relative paths resolve against it. */
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
  readonly world: BdWorld
}

/** Only the database is fleet's choice: terminal, directory and exit code are the user's. */
export async function forwardBd(argv: readonly string[], world: BdWorld): Promise<number> {
  if (world.env[CALLED_BY_FLEET] !== undefined) {
    throw new BdFailure(FLEET_ITSELF, {
      json: 'text',
      hint: 'a bd on PATH that calls fleet bd is not the bd to be called',
    })
  }
  const { taken, rest } = split(argv, GLOBAL, VALUE_FLAGS)
  for (const [name, why] of Object.entries(REFUSED_GLOBAL_FLAGS)) {
    if (taken.has(name)) throw new BdFailure(`--${name} is not for fleet bd`, { json: 'text', hint: why })
  }
  const cwd = directoryFrom(world.cwd, taken.text('directory'))
  await using queue = await openBeadsQueue(world.home)
  const { file, features } = await queue.bd()
  const call: Forwarding = { file, features, queue, cwd, env: bdEnvironment(world.env, world.home.beads), world }
  const verb = rest[commandIndex(rest)] ?? ''
  const code = await (SETTLE_NOTHING.has(verb) ? served(rest, call) : queue.asPerson(() => served(rest, call)))
  // A hint: the command may have made a task ready.
  touchWake(world.home.wake)
  return code
}

/** Flags that would lead bd to another database. */
const GLOBAL = [
  { name: 'directory', short: 'C', value: true },
  { name: 'db', value: true },
  { name: 'database', value: true },
  { name: 'global', value: false },
]

/** The most common commands that settle no task. They need not wait for a sync. */
const SETTLE_NOTHING = new Set(
  ['', 'blocked', 'comment', 'comments', 'count', 'create', 'dep', 'doctor', 'export', 'help', 'label', 'list'].concat([
    'forget',
    'graph',
    'kv',
    'lint',
    'memories',
    'new',
    'note',
    'q',
    'ready',
    'recall',
    'remember',
    'search',
    'show',
    'stats',
    'status',
    'version',
  ]),
)
const EDGES = ['deps', 'parent', 'waits-for'].map((name) => ({ name, value: true }))
const CREATES = new Set(['create', 'new', 'q'])
const SETTINGS = SETTINGS_FLAGS.map(({ name }) => ({ name, value: true }))

async function served(argv: readonly string[], call: Forwarding): Promise<number> {
  const at = commandIndex(argv)
  const name = argv[at] ?? ''
  const asksForHelp = argv.some((word) => word === '--help' || word === '-h')
  if (!asksForHelp && CREATES.has(name)) {
    // bd adds blockers after it creates the task; in between the task could be claimed. fleet does both in one write.
    if (
      !call.features.createsWithDependencies &&
      EDGES.some((flag) => split(argv, EDGES, VALUE_FLAGS).taken.has(flag.name))
    )
      return await dispatch(argv, { ...call.world, cwd: call.cwd })
    return await createInBeads({ argv, at }, call)
  }
  const { taken, rest } = name === 'update' ? split(argv, SETTINGS, VALUE_FLAGS) : { taken: undefined, rest: argv }
  if (!asksForHelp && taken !== undefined && SETTINGS.some((flag) => taken.has(flag.name))) {
    return await updateSettings({ argv: rest, settings: taken }, call)
  }
  const pass = (): Promise<number> => forward(call.file, argv, { cwd: call.cwd, env: call.env })
  const watched = { home: call.world.home, store: call.queue, warn: (line: string) => writeErr(`${plain(line)}\n`) }
  const code = await (name === 'dep' && !asksForHelp ? warningOfRunning(watched, pass) : pass())
  if (code === 0) await endWaits(name, argv.slice(at + 1), call.queue)
  return code
}

/** Opening a task that waits for a retry means run it now; bd sees no change because the task is already open. */
async function endWaits(name: string, argv: readonly string[], queue: Forwarding['queue']): Promise<void> {
  if (name !== 'update') return
  const { taken, rest } = split(argv, [{ name: 'status', short: 's', value: true }], VALUE_FLAGS)
  if (taken.text('status') !== 'open') return
  const ids: string[] = []
  for (const word of rest.filter((each) => !each.startsWith('-'))) {
    const match = await queue.resolve(word)
    if (match.kind === 'found') ids.push(match.id)
  }
  queue.endWaits(ids)
}
