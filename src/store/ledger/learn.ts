import { isOpen } from '../../domain/fleet/shared-record.ts'
import type { Question } from '../../domain/run/run.ts'
import type { Database } from '../../platform/sqlite/database.ts'
import type { LearntQuestion } from '../../ports/ledger.ts'

const ASKED = `
  insert into question (task, run, asked_at, text, options, suggestion, answered_at, answered_by, answer)
  values (?, ?, ?, ?, ?, ?, ?, ?, ?)`

const ANSWERED = 'update question set answered_at = ?, answered_by = ?, answer = ? where id = ? and answered_at is null'

/** Adds questions and answers from other machines. Returns the new ones. An answer given here is kept. */
export function learnQuestions(
  db: Database,
  known: readonly Question[],
  received: readonly Question[],
): readonly LearntQuestion[] {
  const byRun = new Map(known.map((question) => [question.run, question]))
  return received.flatMap((question): LearntQuestion[] => {
    const { task, run, askedAt, text, options, suggestion, answeredAt, answeredBy, answer } = question
    const before = byRun.get(run)
    const answered = answeredAt !== null
    if (before === undefined) {
      const asked = [task, run, askedAt, text, JSON.stringify(options), suggestion] as const
      db.sql(ASKED).run(...asked, answeredAt, answeredBy, answer)
      return [{ question, asked: true, answered }]
    }
    if (!isOpen(before) || !answered) return []
    db.sql(ANSWERED).run(answeredAt, answeredBy, answer, before.id)
    return [{ question, asked: false, answered: true }]
  })
}
