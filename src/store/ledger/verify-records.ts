import type { Proc } from '../../domain/run/run.ts'
import type { Database } from '../../platform/sqlite/database.ts'
import type { VerifyEnd, VerifyProcess, VerifyRecords } from '../../ports/verify-records.ts'
import { parsed } from './rows.ts'

type Row = Omit<VerifyProcess, 'proc' | 'done'> & {
  pid: number | null
  startTime: string | null
  bootId: string | null
  done: string | null
}

const SELECT = `select id, subject, name, command, round, folder, cwd, started_at as startedAt, pid,
  start_time as startTime, boot_id as bootId, done from verify_process`

const INSERT = `insert into verify_process (id, subject, name, command, round, folder, cwd, started_at)
  values (?, ?, ?, ?, ?, ?, ?, ?)`

export function verifyRecords(db: Database): VerifyRecords {
  const write = (sql: string, ...args: readonly (string | number)[]): void => {
    db.write(() => db.sql(sql).run(...args))
  }
  const read = (which: string, subject: string): VerifyProcess[] =>
    db.guard(() => db.sql<Row>(`${SELECT} ${which}`).all(subject).map(processOf))
  return {
    begin({ id, subject, name, command, round, folder, cwd, startedAt }) {
      write(INSERT, id, subject, name, command, round, folder, cwd, startedAt)
    },
    started(id, { pid, startTime, bootId }: Proc) {
      write('update verify_process set pid = ?, start_time = ?, boot_id = ? where id = ?', pid, startTime, bootId, id)
    },
    stopping(id) {
      write('update verify_process set round = 0 where id = ?', id)
    },
    ended({ id, round }, done) {
      write('update verify_process set round = ?, done = ? where id = ?', round, JSON.stringify(done), id)
    },
    forget(id) {
      // Its row stays: a name that was given is never given again.
      const done: VerifyEnd = { end: { kind: 'lost' }, ms: 0, failing: '', leftovers: 0 }
      write('update verify_process set round = 0, done = ? where id = ?', JSON.stringify(done), id)
    },
    passed(key, at, forgetBefore) {
      db.write(() => {
        db.sql('delete from verified_tree where at < ?').run(forgetBefore)
        db.sql('insert or replace into verified_tree (key, at) values (?, ?)').run(key, at)
      })
    },
    hasPassed: (key, since) =>
      db.guard(() => db.sql('select 1 from verified_tree where key = ? and at >= ?').get(key, since) !== undefined),
    of: (subject) => read('where subject = ? order by seq', subject),
    runningOf: (subject) => read('where subject = ? and done is null order by seq desc limit 1', subject)[0],
  }
}

function processOf({ pid, startTime, bootId, done, ...row }: Row): VerifyProcess {
  return {
    ...row,
    proc: pid === null || startTime === null || bootId === null ? null : { pid, startTime, bootId },
    done: done === null ? null : parsed<VerifyEnd>(done),
  }
}
