import type { ChangedFile, Exposure } from '../../domain/fleet/home-file.ts'
import type { Database } from './database.ts'

/** `withdrawn`: it is as before again. `repaired`: fleet put back a file of its own. */
export type Decision = 'accepted' | 'reverted' | 'withdrawn' | 'repaired'

/** Decided changes beyond these are forgotten: an agent could make and withdraw one every second. */
const KEPT = 500

/** The store's knowledge of the home's files. Each method is one transaction, or joins the one around it. */
export class HomeRecord implements Disposable {
  readonly #db: Database

  constructor(db: Database) {
    this.#db = db
  }

  together<T>(work: () => T): T {
    return this.#db.write(work)
  }

  /** null: a person left no file there; undefined: none was accepted yet. */
  accepted(path: string): string | null | undefined {
    const sql = 'select content from accepted_file where path = ?'
    return this.#db.guard(() => this.#db.sql<{ content: string | null }>(sql).get(path)?.content)
  }

  acceptedPaths(): readonly string[] {
    const sql = 'select path from accepted_file where content is not null order by path'
    return this.#db.guard(() =>
      this.#db
        .sql<{ path: string }>(sql)
        .all()
        .map(({ path }) => path),
    )
  }

  /** Files outside of the home, by their absolute paths: also those that were not there. */
  outsidePaths(): readonly string[] {
    const sql = `select path from accepted_file where substr(path, 1, 1) = '/' order by path`
    return this.#db.guard(() =>
      this.#db
        .sql<{ path: string }>(sql)
        .all()
        .map(({ path }) => path),
    )
  }

  accept(path: string, content: string | null): void {
    const sql = 'insert or replace into accepted_file (path, content) values (?, ?)'
    this.#db.write(() => this.#db.sql(sql).run(path, content))
  }

  /** Whether an agent has run since the files were last seen to be as accepted. */
  isExposed(): boolean {
    const sql = `select 1 from exposure where until is null
      union all select 1 from run where phase <> 'settled' limit 1`
    return this.#db.guard(() => this.#db.sql(sql).get() !== undefined)
  }

  /** Whether the time in which agents can write to the home has begun. */
  isOpen(): boolean {
    return this.#db.guard(() => this.#db.sql('select 1 from exposure where until is null').get() !== undefined)
  }

  expose(at: number): void {
    const sql = 'insert into exposure (since) select ? where not exists (select 1 from exposure where until is null)'
    this.#db.write(() => this.#db.sql(sql).run(at))
  }

  /** False: a run or a landing has begun, and nothing was changed. */
  endExposure(at: number): boolean {
    return this.#db.write(() => {
      const sql = `select 1 from run where phase <> 'settled' union all select 1 from landing_under_way limit 1`
      if (this.#db.sql(sql).get() !== undefined) return false
      this.#db.sql('update exposure set until = max(?, since) where until is null').run(at)
      return true
    })
  }

  exposuresAt(time: number): readonly Exposure[] {
    const sql = 'select since, until from exposure where until is null or until >= ?'
    return this.#db.guard(() => this.#db.sql<{ since: number; until: number | null }>(sql).all(time))
  }

  /** The runs that were alive at that time, and those whose work lands now. */
  runsAt(time: number): readonly string[] {
    const sql = `select id from run where started_at <= ? and (phase <> 'settled' or ended_at >= ?
      or id in (select run from landing_under_way)) order by seq`
    return this.#db.guard(() =>
      this.#db
        .sql<{ id: string }>(sql)
        .all(time + 20, time - 20)
        .map(({ id }) => id),
    )
  }

  /** The changes that wait for a person, oldest first. */
  pending(): readonly ChangedFile[] {
    const sql = 'select path, noticed_at, runs from changed_file where decided is null order by noticed_at, id'
    return this.#db.guard(() => this.#db.sql<ChangedRow>(sql).all().map(changedOf))
  }

  isPending(path: string): boolean {
    const sql = 'select 1 from changed_file where path = ? and decided is null'
    return this.#db.guard(() => this.#db.sql(sql).get(path) !== undefined)
  }

  /** Every change that was noticed while the run was open. */
  changesDuring(run: string): readonly ChangedFile[] {
    const sql = `select path, noticed_at, runs from changed_file
      where exists (select 1 from json_each(runs) where value = ?) order by id`
    return this.#db.guard(() => this.#db.sql<ChangedRow>(sql).all(run).map(changedOf))
  }

  /** False: this very change was noted before. */
  noteChange({ path, mark, at, runs }: NewChange): boolean {
    return this.#db.write(() => {
      const before = 'select mark, runs from changed_file where path = ? and decided is null'
      const known = this.#db.sql<{ mark: string; runs: string }>(before).get(path)
      if (known?.mark === mark) return false
      const all = [...new Set([...(known === undefined ? [] : JSON.parse(known.runs)), ...runs])]
      if (known === undefined) {
        const insert = 'insert into changed_file (path, mark, noticed_at, runs) values (?, ?, ?, ?)'
        this.#db.sql(insert).run(path, mark, at, JSON.stringify(all))
        const forget = `delete from changed_file where decided is not null
          and id <= (select max(id) - ${KEPT} from changed_file)`
        this.#db.sql(forget).run()
      } else {
        const update = 'update changed_file set mark = ?, runs = ? where path = ? and decided is null'
        this.#db.sql(update).run(mark, JSON.stringify(all), path)
      }
      return true
    })
  }

  /** Closes the store. Only for the one who opened it for this. */
  [Symbol.dispose](): void {
    this.#db[Symbol.dispose]()
  }

  decide(path: string, decision: Decision): void {
    const sql = 'update changed_file set decided = ? where path = ? and decided is null'
    this.#db.write(() => this.#db.sql(sql).run(decision, path))
  }
}

interface NewChange {
  readonly path: string
  readonly mark: string
  readonly at: number
  readonly runs: readonly string[]
}

interface ChangedRow {
  readonly path: string
  readonly noticed_at: number
  readonly runs: string
}

function changedOf({ path, noticed_at, runs }: ChangedRow): ChangedFile {
  return { path, noticedAt: noticed_at, runs: JSON.parse(runs) }
}
