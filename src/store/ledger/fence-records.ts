import type { SupervisorPlace } from '../../domain/fleet/supervisor-place.ts'
import type { Proc } from '../../domain/run/run.ts'
import { entryAt } from '../../platform/files/folder.ts'
import type { Database } from '../../platform/sqlite/database.ts'
import { lookInto } from '../../platform/sqlite/look.ts'
import { supervisorIn } from '../../platform/sqlite/recorded-supervisor.ts'

/** The part of the ledger that tells an agent's command from a person's. */
export interface FenceRecords {
  /** false: there is no store, or one that cannot be read. */
  readonly isThere: boolean
  readonly supervisor: SupervisorPlace | undefined
  /** The open runs, oldest first, and those whose work lands. */
  readonly runs: readonly RunRecord[]
}

export interface RunRecord {
  readonly run: string
  readonly task: string
  /** `lands`: its agent has gone, and the programs of its landing run what it wrote. */
  readonly doing: 'runs' | 'lands'
  /** The leaders of its processes: its agent, and the commands that check its work. */
  readonly leaders: readonly Proc[]
  /** The processes of its agent, as text of platform/process/family.ts. */
  readonly family: string | null
}

export function recordSupervisor(db: Database, place: SupervisorPlace): void {
  const sql = `insert or replace into control (key, value) values ('supervisor', ?)`
  db.sql(sql).run(JSON.stringify(place))
}

/**
 * Read without migrating, and without complaint about a store that cannot be read: the commands that repair it have to
 * work for people. The command itself meets the same trouble.
 */
export function fenceRecords(path: string): FenceRecords {
  if (entryAt(path)?.kind !== 'file') return NONE
  try {
    return lookInto(path, (db) => db.read(() => ({ isThere: true, supervisor: supervisorIn(db), runs: openRuns(db) })))
  } catch {
    return NONE
  }
}

const NONE: FenceRecords = { isThere: false, supervisor: undefined, runs: [] }

interface Row {
  run: string
  task: string
  doing: 'runs' | 'lands'
  family: string | null
  pid: number | null
  startTime: string | null
  bootId: string | null
}

const RUNS = `select id as run, task, 'runs' as doing, evidence ->> '$.family' as family,
    pid, start_time as startTime, boot_id as bootId
  from run where phase <> 'settled' order by seq`
const LANDINGS = `select run, task, 'lands' as doing, null as family, null as pid, null as startTime, null as bootId
  from landing_under_way order by task`
/** Of a run, and of its landing, whose name begins with that of the run. */
const CHECKS = `select pid, start_time as startTime, boot_id as bootId from verify_process
  where done is null and pid is not null and (subject = ?1 or (subject > ?1 || '-' and subject < ?1 || '.'))`

function openRuns(db: Database): RunRecord[] {
  const runs = db.sql<Row>(RUNS).all()
  // A store of an older fleet, of whose landings nothing is recorded.
  if (db.sql(`select 1 from sqlite_schema where name = 'landing_under_way'`).get() === undefined)
    return runs.map(recordOf)
  return [...runs, ...db.sql<Row>(LANDINGS).all()].map((row) => {
    const record = recordOf(row)
    return { ...record, leaders: [...record.leaders, ...db.sql<ProcRow>(CHECKS).all(row.run).flatMap(procOf)] }
  })
}

function recordOf({ run, task, doing, family, ...proc }: Row): RunRecord {
  return { run, task, doing, family, leaders: procOf(proc) }
}

type ProcRow = Pick<Row, 'pid' | 'startTime' | 'bootId'>

function procOf({ pid, startTime, bootId }: ProcRow): Proc[] {
  return pid === null || startTime === null || bootId === null ? [] : [{ pid, startTime, bootId }]
}
