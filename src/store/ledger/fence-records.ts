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
  /** The open runs, oldest first. */
  readonly runs: readonly RunRecord[]
}

export interface RunRecord {
  readonly run: string
  readonly task: string
  readonly proc: Proc | null
  /** Its processes, as text of platform/process/family.ts. */
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
  pid: number | null
  startTime: string | null
  bootId: string | null
  family: string | null
}

function openRuns(db: Database): RunRecord[] {
  const sql = `select id as run, task, pid, start_time as startTime, boot_id as bootId, evidence ->> '$.family' as family
    from run where phase <> 'settled' order by seq`
  return db
    .sql<Row>(sql)
    .all()
    .map(({ run, task, pid, startTime, bootId, family }) => ({
      run,
      task,
      proc: pid === null || startTime === null || bootId === null ? null : { pid, startTime, bootId },
      family,
    }))
}
