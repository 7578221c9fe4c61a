import type { Note } from '../../domain/agent/note.ts'
import { settingsHint } from '../../domain/agent/refused-edit.ts'
import type { Chosen } from '../../domain/fleet/assignment.ts'
import type { Question, Run } from '../../domain/run/run.ts'
import { isSuspicious, lastSignOfLife } from '../../domain/run/suspicion.ts'
import { SETTING_NAMES } from '../../domain/task/settings.ts'
import { bounded, firstLine } from '../../domain/text/bounded.ts'
import { elapsed, moment } from '../../domain/text/moment.ts'
import { plain, plainLine } from '../../domain/text/plain.ts'
import type { TaskView } from '../../views/task.ts'
import { whyNotRunning } from '../../views/why-not-running.ts'
import { attemptLines } from './attempts.ts'
import { type Field, fieldLines, known } from './fields.ts'
import { context, UNKNOWN } from './figures.ts'
import { deliveryText } from './messages.ts'
import type { Line, Style } from './painted.ts'
import { landingText } from './receipt/landing.ts'
import { decisionText } from './review.ts'
import { wrapped } from './wrap.ts'

/** One task, for a terminal of this width; without a width nothing is wrapped. */
export function shownLines(shown: TaskView, width = Number.POSITIVE_INFINITY): Line[] {
  const { task, question, unawaited, notes, now } = shown
  const fields: Field[] = [
    { label: 'id', text: task.id, style: 'bold' },
    { label: 'title', text: plainLine(task.title), style: 'bold' },
    { label: 'status', text: task.status, ...known(STATUS_STYLES[task.status]) },
    ...settingFields(shown),
    ...standing(shown),
    ...(question === undefined ? [] : questionFields(question)),
    ...unawaited.map(({ text, askedAt }) => ({
      label: 'asked',
      text: plainLine(text),
      aside: ` (at ${moment(askedAt, now)}, not waited for)`,
    })),
    ...landingFields(shown),
    ...messageFields(shown),
    ...shown.reviews.map((each): Field => ({ label: 'review', text: decisionText(each, now) })),
    ...editFields(shown),
  ]
  return [
    ...fields.flatMap((field) => fieldLines(field, width)),
    ...attemptLines(shown, width),
    ...(notes.length === 0 ? [] : [[], [{ text: 'notes:', style: 'dim' as const }]]),
    ...notes.flatMap((note) => noteLines(note, { now, width })),
    [],
    ...(task.description === '' ? ['(no description)'] : wrapped(plain(task.description.trimEnd()), width)).map(
      (text) => [{ text }],
    ),
  ]
}

const STATUS_STYLES: Readonly<Record<string, Style>> = { in_progress: 'green', closed: 'green', blocked: 'yellow' }

/** The value of a default while the configuration cannot be read. */
const UNREADABLE = 'as runtime.toml says, which is wrong'

/** The last ones; fleet bd comments has all. */
const MESSAGES = 5

function messageFields({ messages, attempts, now }: TaskView): Field[] {
  const attemptOf = (run: string) => attempts.find(({ id }) => id === run)?.attempt
  return messages.slice(-MESSAGES).map((message) => ({
    label: 'told',
    text: `${plainLine(bounded(message.text, 200))} (${plainLine(message.by)}, ${moment(message.at, now)})`,
    aside: `: ${deliveryText(message, { now, attemptOf })}`,
  }))
}

function settingFields(shown: TaskView): Field[] {
  const {
    cwd,
    assignment,
    configurationProblem,
    on,
    command,
    verify,
    closeAt,
    evidence,
    isolation,
    target,
    worktree,
    locks,
    sandbox,
  } = shown
  const model = configurationProblem === undefined ? "the coder's own" : UNREADABLE
  return [
    tagged('cwd', cwd, 'a folder of its own'),
    tagged('coder', assignment.coder, UNREADABLE),
    tagged('model', assignment.model, model),
    ...(on === undefined ? [] : [{ label: 'on', text: plainLine(on) }]),
    ...(isolation === undefined ? [] : [{ label: 'isolation', text: isolation }]),
    ...(target === undefined ? [] : [{ label: 'target', text: plainLine(target) }]),
    ...worktreeFields(worktree),
    ...(sandbox === undefined || sandbox === 'off' ? [] : [{ label: 'sandbox', text: sandbox }]),
    ...(locks.length === 0 ? [] : [{ label: 'locks', text: plainLine(locks.join(', ')) }]),
    ...(command === undefined ? [] : [{ label: 'command', text: plain(command.trimEnd()) }]),
    ...(evidence === undefined ? [] : [{ label: 'evidence', text: plainLine(evidence) }]),
    ...scopeFields(shown),
    ...(verify === undefined ? [] : [{ label: 'verify', text: plainLine(verify) }]),
    ...(closeAt === undefined ? [] : [{ label: 'close at', text: closeAt }]),
  ]
}

function scopeFields({ scope, readOnly }: TaskView): Field[] {
  const bound = readOnly === 'true' ? 'nothing: it is read-only' : scope
  const more = readOnly === 'false' ? [{ label: 'read-only', text: 'no' }] : []
  return [...(bound === undefined ? [] : [{ label: 'may change', text: plainLine(bound) }]), ...more]
}

function worktreeFields(worktree: TaskView['worktree']): Field[] {
  if (worktree === undefined) return []
  const { path, branch, base, target } = worktree
  const goal = target === null ? 'no branch was checked out' : `for ${target}`
  return [
    { label: 'worktree', text: plainLine(path) },
    { label: 'branch', text: plainLine(`${branch}, since ${base.slice(0, 10)}, ${goal}`) },
  ]
}

function tagged(label: string, { value, given }: Chosen<string | undefined>, otherwise: string): Field {
  return { label, text: plainLine(value ?? otherwise), ...(given ? {} : { aside: ' (default)' }) }
}

function standing(shown: TaskView): Field[] {
  const { running, waiting, now } = shown
  if (running !== undefined) {
    return [{ label: 'running', text: runningSince(running, shown), style: 'green' }, ...doingFields(running, shown)]
  }
  if (waiting.kind === 'elsewhere') {
    const text = `on ${plainLine(waiting.machine)}, claimed as ${plainLine(waiting.by)}`
    return [{ label: 'running', text, style: 'green' }]
  }
  if (waiting.kind !== 'closed') return [{ label: 'not running', text: whyNotRunning(waiting, now), style: 'yellow' }]
  const at = waiting.at === '' ? UNKNOWN : moment(Date.parse(waiting.at), now)
  return [{ label: 'closed', text: `${at}${waiting.reason === '' ? '' : `, ${plainLine(waiting.reason)}`}` }]
}

function landingFields({ landing, now }: TaskView): Field[] {
  if (landing === undefined) return []
  const code = landing.outcome === undefined ? '' : `, ${landing.outcome.code}`
  return [{ label: landing.result, text: `${landingText(landing, now)}${code}` }]
}

/** The agent's present work, its context, and how long it has been silent. */
function doingFields(run: Run, { doing, now }: TaskView): Field[] {
  if (run.phase === 'checking') return []
  const full = context(run.figures)
  const silence = elapsed(now - lastSignOfLife(run))
  const seen = run.figures.silence === null ? [] : [plainLine(run.figures.silence.text)]
  return [
    ...(doing?.tool == null ? [] : [{ label: 'tool', text: plainLine(doing.tool) }]),
    ...(doing?.said == null ? [] : [{ label: 'said', text: plainLine(firstLine(doing.said, 300)) }]),
    ...(full.text === UNKNOWN ? [] : [{ label: 'context', text: full.text, ...known(full.style) }]),
    {
      label: 'silent for',
      text: [silence, ...seen].join(': '),
      ...(isSuspicious(run, now) ? { style: 'yellow' as const } : {}),
    },
  ]
}

/** `since 14:02:11, attempt 2, pid 4711` */
function runningSince(run: Run, { now, verifying, awaits }: TaskView): string {
  const since = `since ${moment(run.startedAt, now)}, attempt ${run.attempt}`
  if (verifying !== undefined) {
    return `${since}, verifying: ${plainLine(verifying.command)}, for ${elapsed(now - verifying.startedAt)}`
  }
  if (awaits !== undefined) {
    const until = awaits.until === null ? '' : `, until ${moment(awaits.until, now)}`
    return `${since}, its review by ${awaits.coder} waits${until}: ${plainLine(awaits.reason)}`
  }
  if (run.phase === 'checking') return `${since}, checking: its agent has ended`
  const pid = run.proc === null ? 'not started yet' : `pid ${run.proc.pid}`
  return `${since}, ${run.phase === 'running' ? '' : `${run.phase}, `}${pid}`
}

function questionFields({ text, options, suggestion, task }: Question): Field[] {
  const numbered = options.map((option, i) => `${i + 1}) ${plainLine(option)}`)
  return [
    { label: 'question', text: plainLine(text), style: 'yellow' },
    ...(options.length === 0 ? [] : [{ label: 'options', text: numbered.join('\n') }]),
    ...(suggestion === null ? [] : [{ label: 'suggestion', text: plainLine(suggestion) }]),
    { label: '', text: `fleet answer ${task} ${options.length === 0 ? '"..."' : '<number or text>'}`, style: 'dim' },
  ]
}

function editFields({ task, refusedEdit, pendingEdit, running }: TaskView): Field[] {
  if (task.status === 'closed') return []
  return [
    ...(refusedEdit === undefined
      ? []
      : [
          {
            label: 'task.json',
            text: `changed while an agent was at work, so not applied: ${plainLine(refusedEdit)} has it (fleet task ${task.id} accept takes it in; delete it when you have seen it)`,
            style: 'yellow' as const,
          },
          { label: '', text: settingsHint(task.id), style: 'dim' as const },
        ]),
    ...(pendingEdit === undefined
      ? []
      : [
          {
            label: 'task.json',
            text: pendingText(pendingEdit, { task: task.id, isRunning: running !== undefined }),
            style: 'yellow' as const,
          },
        ]),
  ]
}

function pendingText(
  edit: NonNullable<TaskView['pendingEdit']>,
  { task, isRunning }: { task: string; isRunning: boolean },
): string {
  const decide = `changed while agents ran, so not applied: fleet task ${task} accept | revert`
  if (edit.kind === 'wrong')
    return `edited by hand, and wrong: ${plainLine(edit.why)}${edit.held ? ` (${decide})` : ''}`
  const changes = SETTING_NAMES.flatMap((name) => {
    const value = edit.change[name]
    return value === undefined ? [] : [value === '' ? `no ${name}` : `${name} ${plainLine(value)}`]
  })
  if (edit.held && !isRunning) return `${changes.join(', ')} (${decide})`
  const when = isRunning
    ? 'set aside when this attempt ends: an agent may have made it'
    : 'applied before the next attempt'
  return `edited by hand: ${changes.join(', ')} (${when})`
}

/** `  14:02:11  #1  the flaky test is unrelated` */
function noteLines({ at, attempt, text }: Note, { now, width }: { now: number; width: number }): Line[] {
  const head = `  ${moment(at, now)}${attempt === undefined ? '' : `  #${attempt}`}  `
  return wrapped(bounded(plainLine(text), 500), Math.max(20, width - head.length)).map((line, i) => [
    { text: i === 0 ? head : ' '.repeat(head.length), style: 'dim' },
    { text: line },
  ])
}
