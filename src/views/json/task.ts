import type { Worktree } from '../../domain/run/worktree.ts'
import { patternsOf } from '../../domain/scope/scope.ts'
import { rfc3339 } from '../../domain/task/time.ts'
import type { TaskView } from '../task.ts'
import { whyNotRunning } from '../why-not-running.ts'
import { messageJson } from './message.ts'
import { decisionJson } from './review.ts'
import { runJson, spentJson } from './run.ts'

/** bd's show document in its envelope, and beside it what fleet knows of the task. */
export function taskJson({ view, issue }: { view: TaskView; issue: object }): Record<string, unknown> {
  const { cwd, assignment, command, on, verify, closeAt, evidence } = view
  return {
    schema_version: 1,
    data: [issue],
    fleet: {
      cwd: cwd.value ?? null,
      coder: assignment.coder.value ?? null,
      model: assignment.model.value ?? null,
      command: command ?? null,
      verify: verify ?? null,
      close_at: closeAt ?? null,
      evidence: evidence ?? null,
      scope: view.scope === undefined ? null : patternsOf(view.scope),
      read_only: view.readOnly === undefined ? null : view.readOnly === 'true',
      on: on ?? null,
      isolation: view.isolation ?? null,
      target: view.target ?? null,
      locks: view.locks,
      sandbox: view.sandbox ?? null,
      worktree: view.worktree === undefined ? null : worktreeJson(view.worktree),
      defaults: Object.entries({ cwd, ...assignment }).flatMap(([name, { given }]) => (given ? [] : [name])),
      ...standingJson(view),
    },
  }
}

function worktreeJson({ path, branch, base, target, repository }: Worktree): Record<string, unknown> {
  return { path, branch, base, target, repository }
}

/** `waiting` is null while an attempt is under way. */
function standingJson(view: TaskView): Record<string, unknown> {
  const {
    running,
    doing,
    waiting,
    attempts,
    attemptsElsewhere,
    spent,
    notes,
    question,
    unawaited,
    refusedEdit,
    pendingEdit,
    now,
  } = view
  return {
    running: running === undefined ? null : { ...runJson(running), last_text: doing?.said ?? null },
    waiting: running === undefined ? { ...waiting, ...times(waiting), text: whyNotRunning(waiting, now) } : null,
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
    ...(unawaited.length === 0
      ? {}
      : { not_waited_for: unawaited.map(({ text, askedAt }) => ({ text, asked_at: rfc3339(askedAt) })) }),
    ...(view.messages.length === 0 ? {} : { messages: view.messages.map(messageJson) }),
    ...(view.reviews.length === 0 ? {} : { reviews: view.reviews.map(decisionJson) }),
    refused_edit: refusedEdit ?? null,
    pending_edit: pendingEdit ?? null,
    attempts: attempts.map((run) => ({ ...runJson(run), ...alteredJson(view.altered.get(run.attempt)) })),
    total: spentJson(spent),
    ...(attemptsElsewhere === 0 ? {} : { attempts_elsewhere: attemptsElsewhere }),
    notes: notes.map(({ at, attempt, text }) => ({ at: rfc3339(at), attempt: attempt ?? null, text })),
  }
}

function alteredJson(files: readonly string[] | undefined): object {
  return files === undefined ? {} : { altered: files }
}

/** Times in RFC 3339; some are text in the store already. */
function times(waiting: object): Record<string, string> {
  return Object.fromEntries(
    Object.entries(waiting).flatMap(([name, value]) =>
      (name === 'at' || name === 'until' || name === 'seen') && typeof value === 'number'
        ? [[name, rfc3339(value)]]
        : [],
    ),
  )
}
