import type { Message } from '../../domain/agent/message.ts'
import type { Database } from '../../platform/sqlite/database.ts'
import type { MessageRecords } from '../../ports/message-records.ts'

const COLUMNS = 'id, task, comment, sender, at, text, run, how, delivered_at, before'

interface Row {
  readonly id: number
  readonly task: string
  readonly comment: string
  readonly sender: string
  readonly at: number
  readonly text: string
  readonly run: string | null
  readonly how: 'hook' | 'prompt' | null
  readonly delivered_at: number | null
  readonly before: string | null
}

export function messageRecords(db: Database, committed: () => void): MessageRecords {
  const rows = (where: string, ...values: readonly string[]): readonly Message[] =>
    db
      .guard(() => db.sql<Row>(`select ${COLUMNS} from message where ${where} order by id`).all(...values))
      .map(messageOf)
  return {
    add({ task, comment, by, at, text }) {
      const insert = `insert into message (task, comment, sender, at, text) values (?, ?, ?, ?, ?) on conflict do nothing`
      db.write(() => db.sql(insert).run(task, comment, by, at, text))
      committed()
      const [added] = rows('task = ? and comment = ?', task, comment)
      if (added === undefined) throw new Error(`the message ${comment} of ${task} was not kept`)
      return added
    },
    waiting: () => rows('delivered_at is null'),
    of: (task) => rows('task = ?', task),
    delivered({ id, task }, { run, how, at, before }) {
      const sql =
        'update message set run = ?, how = ?, delivered_at = ?, before = ? where id = ? and task = ? and delivered_at is null'
      return db.write(() => db.sql(sql).run(run, how, at, before, id, task).changes > 0)
    },
    reopen({ id, task }) {
      const sql =
        'update message set run = null, how = null, delivered_at = null, before = null where id = ? and task = ?'
      db.write(() => db.sql(sql).run(id, task))
    },
  }
}

function messageOf({ sender, run, how, delivered_at, before, ...row }: Row): Message {
  const isDelivered = run !== null && how !== null && delivered_at !== null
  return { ...row, by: sender, delivery: isDelivered ? { run, how, at: delivered_at, before } : null }
}
