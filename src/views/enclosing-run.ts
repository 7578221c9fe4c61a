import { sharedQueueOf } from '../config/queue-of.ts'
import { type CurrentRun, currentRun } from '../domain/agent/current-run.ts'
import { type Above, type Enclosed, enclosingRun, type Known, type NamespaceFacts } from '../domain/agent/fence.ts'
import type { Namespaces } from '../domain/fleet/supervisor-place.ts'
import { isSameQueue } from '../domain/queue/postgres-url.ts'
import type { Proc } from '../domain/run/run.ts'
import { Home, homeOfTaskFolder, isSameHome } from '../platform/files/home.ts'
import { hasOtherNames, inodeOf } from '../platform/files/inode.ts'
import { type Ancestor, type Ancestry, ancestry } from '../platform/process/ancestry.ts'
import { parseFamily } from '../platform/process/family.ts'
import { ownNamespaces } from '../platform/process/own-namespaces.ts'
import { isSameBoot } from '../platform/process/process-table.ts'
import { lookToWrite } from '../platform/sqlite/look.ts'
import { supervisorAlive } from '../platform/sqlite/supervisor-lock.ts'
import { type FenceRecords, fenceRecords, type RunRecord } from '../store/ledger/fence-records.ts'

/**
 * Whether an agent of this home calls this command, however it was started: the facts for domain/agent/fence.ts. In a home
 * that an agent made for itself, it is nobody's agent. `startsSupervisor`: a container that is started again is a new
 * namespace, in which the ledger still has the runs of the one before.
 */
export async function enclosedBy(
  home: Home,
  env: NodeJS.ProcessEnv,
  { startsSupervisor = false } = {},
): Promise<Enclosed | undefined> {
  // Only commands that change something ask.
  lookToWrite(home.store)
  const records = fenceRecords(home.store)
  const hasRuns = records.runs.length > 0
  const table = ancestry(VARIABLES, { mayAskPs: hasRuns })
  const own = currentRun(env, home)
  return enclosingRun({
    own,
    sharesQueueOf: await sharedQueue(table.chain ?? [], home),
    hasStoreOfOther: hasStoreOfOther(home, records),
    above: table.chain?.map((each) => aboveOf(each, home)),
    runs: records.runs.map(({ run, task, doing, ...of }) => ({ run, task, doing, processes: processesOf(of, table) })),
    supervisors: supervisorsIn(records, table),
    namespace:
      hasRuns && !(startsSupervisor && supervisorAlive(home) === undefined)
        ? namespaceFacts(records, ownNamespaces())
        : undefined,
  })
}

/** Not FLEET_HOME: an agent that tries out a home of its own sets it. */
const VARIABLES = ['FLEET_RUN_ID', 'FLEET_TASK_ID', 'FLEET_TASK_DIR']

function aboveOf({ variables, startsAgentsOf, ...process }: Ancestor, home: Home): Above {
  const isLauncher = startsAgentsOf !== undefined && isSameHome(startsAgentsOf, home.path)
  return { ...process, marker: markerOf(variables, home), isLauncher }
}

/** Nonsense in the environment of a parent is no reason to fail: the parents above it have the truth. */
function markerOf(variables: Readonly<Record<string, string>>, home: Home): CurrentRun | undefined {
  const { FLEET_RUN_ID: run, FLEET_TASK_ID: task, FLEET_TASK_DIR: folder } = variables
  if (run === undefined || task === undefined || folder === undefined) return undefined
  return isSameHome(homeOfTaskFolder(folder), home.path) ? { run, task } : undefined
}

/** The outermost run of another home whose queue is that of this home: its agent would settle its own task from here. */
async function sharedQueue(chain: readonly Ancestor[], home: Home): Promise<string | undefined> {
  for (const each of [...chain].reverse()) {
    const other = otherHome(each)
    if (other === undefined) continue
    const own = await sharedQueueOf(home.config)
    const theirs = own && (await sharedQueueOf(new Home(other.path).config))
    if (own !== undefined && theirs !== undefined && isSameQueue(own, theirs)) return other.by
  }
  return undefined
}

function otherHome({ variables, startsAgentsOf }: Ancestor): { path: string; by: string } | undefined {
  const { FLEET_RUN_ID: run, FLEET_TASK_ID: task, FLEET_TASK_DIR: folder } = variables
  if (run !== undefined && task !== undefined && folder !== undefined) {
    return { path: homeOfTaskFolder(folder), by: `run ${run} of ${task}` }
  }
  return startsAgentsOf === undefined ? undefined : { path: startsAgentsOf, by: `an agent of ${startsAgentsOf}` }
}

/**
 * By the name of the folder in the records, which is not that of a hard link's folder. A store that no supervisor ever had
 * has no records; with a second name it may be one whose records are in the log that stands beside the first name.
 */
function hasStoreOfOther(home: Home, { isThere, supervisor }: FenceRecords): boolean {
  if (!isThere || !hasOtherNames(home.store)) return false
  return supervisor === undefined || (supervisor.folder !== undefined && supervisor.folder !== inodeOf(home.path))
}

/** A leader counts also when it has gone: its session and group keep the number while they have members. */
function processesOf({ leaders, family }: Pick<RunRecord, 'leaders' | 'family'>, table: Ancestry): readonly Known[] {
  const ofThisBoot = leaders.filter(({ bootId }) => isSameBoot(bootId, table.bootId))
  if (ofThisBoot.length === 0) return []
  const others = family === null ? [] : [...parseFamily(family)].map(([pid, startTime]) => ({ pid, startTime }))
  return [
    ...ofThisBoot.flatMap((each) => known(table, each, 'unless-reused')),
    ...others.flatMap((each) => known(table, each)),
  ]
}

function supervisorsIn({ supervisor }: FenceRecords, table: Ancestry): readonly Known[] {
  if (supervisor === undefined) return []
  const procs = [supervisor.proc, supervisor.launcher].filter((each): each is Proc => each !== null)
  // The first process of a container gets every process that loses its parent, also a person's.
  return procs
    .filter(({ pid, bootId }) => pid !== 1 && isSameBoot(bootId, table.bootId))
    .flatMap((each) => known(table, each))
}

function known(table: Ancestry, { pid, startTime }: Known, how?: 'unless-reused'): Known[] {
  const now = table.startOf(pid)
  if (now === undefined) return how === undefined ? [] : [{ pid, startTime }]
  return table.isSameStart(now, startTime) ? [{ pid, startTime: now }] : []
}

function namespaceFacts({ supervisor, runs }: FenceRecords, own: Namespaces | undefined): NamespaceFacts | undefined {
  const theirs = supervisor?.namespaces ?? undefined
  if (theirs === undefined || own === undefined || own.pid === theirs.pid) return undefined
  // Processes that run before an agent starts, or after it has gone, are not always recorded; the supervisor is older than that.
  const procs = runs.flatMap(({ leaders }) =>
    leaders.length > 0 || supervisor === undefined ? leaders : [supervisor.proc],
  )
  const starts = procs.map(({ startTime }) => Number(startTime))
  return {
    // An agent can shift the clock of a time namespace. `ps` gives times that compare with no other.
    isYounger: starts.some(Number.isNaN) || own.initStart >= Math.min(...starts) || own.time !== theirs.time,
    hasSameRoot: own.root === theirs.root,
    hasOtherUsers: own.user !== theirs.user,
  }
}
