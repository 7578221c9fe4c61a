import { openBeadsQueue } from '../../../app.ts'
import { bdEnvironment } from '../../../domain/bd-environment.ts'
import { forward } from '../../../platform/forward.ts'
import { touchWake } from '../../../platform/wake.ts'
import { BdFailure } from '../command.ts'
import { type BdWorld, commandIndex, directoryFrom } from '../dispatch.ts'
import { REFUSED_GLOBAL_FLAGS } from '../global-flags.ts'
import { SETTINGS_FLAGS } from '../issue-flags.ts'
import { createInBeads } from './create.ts'
import { split } from './split.ts'
import { updateSettings } from './update.ts'
import { VALUE_FLAGS } from './value-flags.ts'

/** A call of the real bd on the home's database. */
export interface Forwarding {
  /** The bd to run. */
  readonly file: string
  readonly queue: Awaited<ReturnType<typeof openBeadsQueue>>
  /** Where the user stands: relative files mean this directory. */
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
  readonly world: BdWorld
}

/** Everything but the database is the user's: terminal, directory, exit code. */
export async function forwardBd(argv: readonly string[], world: BdWorld): Promise<number> {
  const { taken, rest } = split(argv, GLOBAL, VALUE_FLAGS)
  for (const [name, why] of Object.entries(REFUSED_GLOBAL_FLAGS)) {
    if (taken.has(name)) throw new BdFailure(`--${name} is not for fleet bd`, { json: 'text', hint: why })
  }
  const cwd = directoryFrom(world.cwd, taken.text('directory'))
  await using queue = await openBeadsQueue(world.home)
  const { file } = await queue.bd()
  const call: Forwarding = { file, queue, cwd, env: bdEnvironment(world.env, world.home.beads), world }
  const verb = rest[commandIndex(rest)] ?? ''
  const code = await (READS.has(verb) ? served(rest, call) : queue.asPerson(() => served(rest, call)))
  // A hint: whatever it was, it may have given the supervisor something to do.
  touchWake(world.home.wake)
  return code
}

/** bd itself would look for another database there. */
const GLOBAL = [
  { name: 'directory', short: 'C', value: true },
  { name: 'db', value: true },
  { name: 'database', value: true },
  { name: 'global', value: false },
]

/** The commonest that settle nothing: they need not wait for a look. */
const READS = new Set([
  '',
  'blocked',
  'comments',
  'count',
  'doctor',
  'export',
  'help',
  'list',
  'ready',
  'show',
  'version',
])
const CREATES = new Set(['create', 'new', 'q'])
const SETTINGS = SETTINGS_FLAGS.map(({ name }) => ({ name, value: true }))

async function served(argv: readonly string[], call: Forwarding): Promise<number> {
  const at = commandIndex(argv)
  const name = argv[at] ?? ''
  const asksForHelp = argv.some((word) => word === '--help' || word === '-h')
  if (!asksForHelp && CREATES.has(name)) return await createInBeads({ argv, at }, call)
  const { taken, rest } = name === 'update' ? split(argv, SETTINGS, VALUE_FLAGS) : { taken: undefined, rest: argv }
  if (!asksForHelp && taken !== undefined && SETTINGS.some((flag) => taken.has(flag.name))) {
    return await updateSettings({ argv: rest, settings: taken }, call)
  }
  const code = await forward(call.file, argv, { cwd: call.cwd, env: call.env })
  if (code === 0) await endWaits(name, argv.slice(at + 1), call.queue)
  return code
}

/** Who opens a task that waits for its next attempt wants it now; to bd it was open already. */
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
