import type { Outcome } from '../../domain/run/outcome.ts'
import type { Run } from '../../domain/run/run.ts'
import type { Worktree } from '../../domain/run/worktree.ts'
import { durationText } from '../../domain/text/duration.ts'
import { type SetupPart, setupProcessId } from '../../domain/verify/verification.ts'
import { AppError } from '../../errors.ts'
import type { RunPlace } from '../../ports/agents.ts'
import type { World } from '../world.ts'
import { endMarked } from './end-marked.ts'

/** The setup of a new worktree: `npm ci`, for example. As long as a check may take. */
const SETUP_MS = 20 * 60_000
/** Less than a file of any use takes, and less than a setup of some size needs. */
const FULL = 64 << 10
const SCARCE = 256 << 20
const NO_ROOM = /no space left on device|ENOSPC|disk quota exceeded/i
const LOOK_EVERY_MS = 100
/** The status of a shell whose command died of SIGKILL. */
const SIGKILLED = 137

interface SetupOrder {
  readonly worktree: Worktree
  /** The command line of the user's configuration. */
  readonly line: string
  /** Its ports. */
  readonly more: Readonly<Record<string, string>>
  /** false: the run was stopped meanwhile. */
  readonly isWanted: () => boolean
  /** Names it among the parts of the attempt. By default `setup`. */
  readonly part?: SetupPart
}

export interface FailedSetup {
  readonly outcome: Outcome
  /** `killed`: from outside, or by a stop. Only an exit may be the work's doing. */
  readonly how: 'exited' | 'late' | 'killed'
  /** The end of its output. */
  readonly output: string
}

/**
 * Runs the project's setup in a worktree, as an agent is run: in its own process group, its output in a file of the attempt.
 * Returns why it did not succeed. Throws AppError if that is the machine's trouble.
 */
export async function setUp(
  world: World,
  run: Run,
  { worktree, line, more, isWanted, part = PART }: SetupOrder,
): Promise<FailedSetup | undefined> {
  const { agents, attempts, ledger, environment, machine, log } = world
  // A supervisor that was killed left it running.
  const earlier = ledger.runsOf(run.task).filter(({ id }) => id !== run.id)
  const left = [
    ...earlier.map((each) => setupProcessId(each.id, PART)),
    ...(part === PART ? [] : [setupProcessId(run.id, part)]),
  ]
  if (left.length > 0) await endMarked(agents, (marker) => left.includes(marker))
  const folder = attempts.part(run.task, run.attempt, part)
  const place: RunPlace = { run: setupProcessId(run.id, part), folder, proc: null }
  const env = {
    ...environment.of({ ...run, id: place.run }, more),
    FLEET_WORKTREE: worktree.path,
    FLEET_REPO: worktree.repository,
    FLEET_BRANCH: worktree.branch,
    FLEET_BASE: worktree.base,
  }
  let isOver = false
  const order = {
    run: place.run,
    folder,
    program: '/bin/sh',
    args: ['-c', line],
    cwd: worktree.path,
    env,
    stdin: undefined,
    namespace: false,
  }
  const proc = await agents.start(order, () => {
    isOver = true
  })
  const started = { ...place, proc }
  const since = performance.now()
  const isLate = (): boolean => performance.now() - since > SETUP_MS
  // A command removes what it could not finish: there is some room again when it ends.
  let free = machine.freeDisk()
  while (!isOver && isWanted() && !isLate()) {
    await pause()
    free = Math.min(free, machine.freeDisk())
  }
  const code = agents.exitOf(started)
  const late = code === undefined && isLate()
  await endMarked(agents, (marker) => marker === started.run)
  log('worktree-set-up', { task: run.task, run: run.id, exit: code })
  if (code === 0) return undefined
  const how = late ? 'late' : code === undefined || code === SIGKILLED ? 'killed' : 'exited'
  const ended = {
    late: `took longer than ${durationText(SETUP_MS)}`,
    killed: code === undefined ? 'was stopped' : 'was killed from outside (SIGKILL), as when memory runs out',
    exited: `ended with ${code}`,
  }[how]
  const tail = attempts.partTail(run.task, run.attempt, part)
  const last = lastLine(tail)
  const what =
    part === PART ? `setup of its worktree ${ended}, so no agent was started` : `setup of the merged tree ${ended}`
  const text = `${what}: ${last}${last === '' ? '' : '; '}its whole output is in ${folder}`
  if (free < FULL || (free < SCARCE && NO_ROOM.test(tail))) {
    throw new AppError('failed', `the disk is full: ${environment.redact(text)}`, { cause: { code: 'ENOSPC' } })
  }
  return { outcome: { code: 'setup-failed', text: environment.redact(text) }, how, output: environment.redact(tail) }
}

const PART = 'setup'

function lastLine(text: string): string {
  const lines = text.split('\n').map((line) => line.trim())
  return (lines.filter((line) => line !== '').at(-1) ?? '').slice(0, 300)
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS))
}

/** Variables that name its ports. */
export function portsOf(base: number | undefined): Readonly<Record<string, string>> {
  return base === undefined ? {} : { FLEET_PORT_BASE: String(base) }
}
