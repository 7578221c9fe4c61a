import type { ShownTask } from '../../cli/render/show.ts'
import { whyNot } from '../../cli/render/show.ts'
import { rfc3339 } from '../../domain/task/time.ts'
import { runJson } from './snapshot.ts'

/** What fleet adds to bd's document: `waiting` is null while an agent is at work. */
export function standingJson({
  running,
  waiting,
  attempts,
  attemptsElsewhere,
  notes,
  question,
  refusedEdit,
  now,
}: ShownTask): Record<string, unknown> {
  return {
    running: running === undefined ? null : runJson(running),
    waiting: running === undefined ? { ...waiting, ...times(waiting), text: whyNot(waiting, now) } : null,
    question:
      question === undefined
        ? null
        : {
            id: question.id,
            asked_at: rfc3339(question.askedAt),
            text: question.text,
            options: question.options,
            suggestion: question.suggestion,
          },
    refused_edit: refusedEdit ?? null,
    attempts: attempts.map(runJson),
    ...(attemptsElsewhere === 0 ? {} : { attempts_elsewhere: attemptsElsewhere }),
    notes: notes.map(({ at, attempt, text }) => ({ at: rfc3339(at), attempt: attempt ?? null, text })),
  }
}

/** Some moments are the store's own text already. */
function times(waiting: object): Record<string, string> {
  return Object.fromEntries(
    Object.entries(waiting).flatMap(([name, value]) =>
      (name === 'at' || name === 'until' || name === 'seen') && typeof value === 'number'
        ? [[name, rfc3339(value)]]
        : [],
    ),
  )
}
