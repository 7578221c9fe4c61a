import { withoutEffectLine } from '../../config/not-yet.ts'
import { changedText, decisionText } from '../../domain/fleet/home-file.ts'
import type { LogEventName, LogEvents, LogFields } from '../../domain/fleet/log-event.ts'
import { modelText } from '../../domain/fleet/refused-model.ts'
import { bounded } from '../../domain/text/bounded.ts'
import { moment, upcoming } from '../../domain/text/moment.ts'
import { plainLine } from '../../domain/text/plain.ts'
import { pluralize } from '../../domain/text/pluralize.ts'
import { pausedLine } from './run.ts'
import { lossText } from './store-loss.ts'

/** One line for the foreground of `fleet run`; undefined: only `fleet log` shows this event. */
export function foregroundLine<K extends LogEventName>(event: K, ...fields: LogFields<K>): string | undefined {
  const line = LOG_TEXTS[event].line?.(...fields)
  return line === undefined ? undefined : plainLine(line)
}

/** `14:02:11  ▶ fleet-a1b …` */
export function timed(line: string, now: number): string {
  return `${moment(now, now)}  ${line}`
}

/** For `fleet log` on a terminal. undefined: this fleet does not know the event; another version may have written it. */
export function logEventTitle(event: string): string | undefined {
  return Object.hasOwn(LOG_TEXTS, event) ? LOG_TEXTS[event as LogEventName].title : undefined
}

interface LogText<K extends LogEventName> {
  readonly title: string
  /** For the foreground of `fleet run`. */
  readonly line?: (...fields: LogFields<K>) => string
}

/** One table, so that an event without words for people does not compile. */
const LOG_TEXTS: { readonly [K in LogEventName]: LogText<K> } = {
  'supervisor-started': {
    title: 'supervisor started',
    line: ({ adopted }) =>
      adopted === 0 ? 'supervisor started' : `supervisor started, ${pluralize(adopted, 'agent')} adopted`,
  },
  // The command itself says why.
  'start-failed': { title: 'the supervisor could not start' },
  'queue-not-ready': { title: 'waiting for the queue', line: ({ why }) => `! ${why}; waiting for it` },
  draining: { title: 'draining', line: () => 'draining: no new claims' },
  stopping: { title: 'stopping' },
  'agents-left-running': {
    title: 'leaving agents to the next supervisor',
    line: ({ runs }) => `leaving ${pluralize(runs, 'agent')} to the next supervisor`,
  },
  'checks-left-waiting': {
    title: 'leaving reviews that wait to the next supervisor',
    line: ({ runs }) =>
      `leaving ${pluralize(runs, 'review')} that ${runs === 1 ? 'waits' : 'wait'} to the next supervisor`,
  },
  'store-lost': {
    title: 'a file of the home was lost, the supervisor ends',
    line: (loss) =>
      `! ${lossText(loss)}; ${loss.agents === 'stop' ? 'stopping' : 'leaving'} ${pluralize(loss.runs, 'agent')}`,
  },
  'ended-before-settling': { title: 'ended before the queue was updated' },
  'output-failed': { title: 'the foreground output cannot be written' },
  'work-failed': { title: 'failed, will retry', line: ({ what, why }) => `! ${what}: ${why}; trying again` },
  'config-reloaded': { title: 'runtime.toml reloaded', line: () => 'runtime.toml reloaded' },
  'config-invalid': {
    title: 'runtime.toml is invalid, the last good configuration stays',
    line: ({ why }) => `! ${why}; the last good configuration stays`,
  },
  'config-without-effect': {
    title: 'settings that are not available yet have no effect',
    line: ({ keys }) => `! ${withoutEffectLine(keys)}`,
  },
  'file-changed': {
    title: 'a file of the home was changed while agents ran',
    line: ({ file }) => `! ${changedText({ path: file })}, and is not in force: ${decisionText({ path: file })}`,
  },
  'file-repaired': {
    title: "a file of fleet's own was changed, and is put right",
    line: ({ file }) => `! ${file} was changed, and is put right; what was there is kept beside it`,
  },
  'clock-set-back': { title: 'the clock was set back' },
  'clock-set-forward': { title: 'the clock was set forward' },
  'program-missing': {
    title: 'a program is missing',
    line: ({ program, effect }) => `! ${program} is not on PATH: ${effect}; install ${program}`,
  },
  'processes-hidden': {
    title: 'processes of other users are hidden',
    line: ({ effect, todo }) => `! ${effect}: ${todo}`,
  },
  'switch-gone': {
    title: "the dead man's switch is gone, another one is started",
    line: () => "! the dead man's switch has ended or hangs; another one is started",
  },
  'output-retired': { title: 'compressed or removed the raw output of old attempts' },
  'launcher-gone': { title: 'the launcher is gone, agents are started without it' },

  'machine-lacks': { title: 'the machine lacks something', line: ({ what }) => `! ${what}` },
  'claiming-stopped': {
    title: 'claiming nothing',
    line: ({ why, paused }) => (paused === undefined ? `! claiming nothing: ${why}` : pausedLine(paused, Date.now())),
  },
  'claiming-resumed': { title: 'claiming again', line: () => 'claiming again' },
  'task-refused': { title: 'task refused', line: ({ task, why }) => `■ ${task}  blocked: ${why}` },
  'orphaned-claim-released': { title: 'released a claim without a run' },
  'expired-claims-reopened': { title: 'reopened tasks whose lease ran out' },
  'denied-tasks-opened': {
    title: 'opened tasks that other permissions had denied',
    line: ({ tasks }) => `opened again under other permissions: ${tasks.join(', ')}`,
  },
  'clone-not-updated': { title: 'the clone could not be updated' },
  'checkout-shared': {
    title: 'agents share a checkout',
    line: ({ repository, tasks }) =>
      `${tasks.join(' and ')} work in the same checkout, ${repository}, and can undo each other's changes: isolation = worktree gives each its own (fleet config set isolation=worktree)`,
  },
  'worktree-files-brought': { title: 'files brought to a worktree' },
  'worktree-made': { title: 'worktree made' },
  'worktree-set-up': { title: 'setup of a worktree ended' },
  'worktrees-removed': {
    title: 'removed worktrees that have landed',
    line: ({ tasks }) => `removed the worktrees of ${tasks.join(', ')}`,
  },
  'work-kept': { title: 'kept the work that was left uncommitted' },

  'run-started': {
    title: 'run started',
    line: ({ task, title, attempt, coder }) => `▶ ${task}  ${shortened(title)}  attempt ${attempt}, ${coder}`,
  },
  'run-found': { title: 'run found' },
  'run-checked': { title: 'run checked' },
  'check-waits': {
    title: 'waits for a reviewer',
    line: ({ task, why }) => `… ${task}  its review waits: ${why}`,
  },
  'command-verified': { title: 'verify command ended' },
  'run-ended': { title: 'run ended', line: runEnded },
  'task-landed': {
    title: 'landed',
    line: ({ task, target, commit }) => `✔ ${task}  ${commit === null ? 'is already on' : 'landed on'} ${target}`,
  },
  'landing-waits': { title: 'waits to land', line: ({ task, why }) => `! ${task}  waits to land: ${why}` },
  'landing-returned': { title: 'did not land', line: ({ task, why }) => `↺ ${task}  did not land: ${why}` },
  'landing-repeated': { title: 'lands again on a target that has moved' },
  'landing-dropped': { title: 'does not land any more' },
  'repository-programs-changed': {
    title: 'hooks, filters or configuration of a repository were changed',
    line: ({ task, repository }) =>
      `! ${task}: hooks, filters or configuration of ${repository} were changed while it ran, and are not run`,
  },
  'leftovers-killed': {
    title: 'killed processes that a run left behind',
    line: ({ task, found }) => `  ${task}: ended ${pluralize(found.length, 'process')} it left behind`,
  },
  'strays-killed': {
    title: 'killed processes that ended runs left behind',
    line: ({ found }) => `  ended ${pluralize(found.length, 'process')} that earlier runs left behind`,
  },
  'task-taken-away': { title: 'another claimer has the task now' },
  'run-ended-by-switch': { title: "ended by the dead man's switch" },
  'run-cut-off': { title: 'cut off from the queue' },
  'edit-refused': { title: 'task.json changed during the run', line: ({ why }) => `! ${why}` },
  'task-folder-damaged': { title: 'an agent damaged the folder of its task' },
  'task-folder-mended': { title: 'the folder of a task was damaged, and is repaired as far as possible' },
  'task-folder-unwritable': { title: "the task's folder cannot be written" },
  'questions-file-unwritable': { title: 'Q&A.md cannot be written' },
  'letter-refused': {
    title: 'refused a letter that the run did not write',
    line: ({ task, run, kind, of, from }) =>
      `! ${task}: refused a fleet ${kind} that its run did not write (${from === run ? 'unsigned' : `of ${of ?? `run ${from}`}`})`,
  },
  'message-handed-over': { title: 'a message waits for the next tool' },
  'message-not-handed-over': { title: 'a message waits for the next prompt' },
  'message-delivered': {
    title: 'the agent has read a message',
    line: ({ task, before }) =>
      `  ${task}: read a message ${before === null ? 'at the end of its turn' : `before ${before}`}`,
  },
  'message-perhaps-unread': { title: 'a message is told again, because the run was stopped soon after it' },
  'hooks-failed': { title: "hooks of fleet's failed, and let the calls pass" },
  'inbox-unreadable': { title: "the agent's letters cannot be read" },
  'coder-unusable': { title: 'the coder is not usable any more, its output is read as text' },

  'lane-down': { title: 'lane down', line: ({ lane, why }) => `! ${lane} is down: ${why}` },
  'lane-paused': { title: 'lane paused', line: lanePaused },
  'lane-up': { title: 'lane up again', line: laneUp },
  'lane-at-full-width': {
    title: 'lane at full width again',
    line: ({ lane }) => `${lane} takes as many agents as before`,
  },
  'lane-tried-again': { title: 'lane tried again' },
  'model-refused': {
    title: 'model refused',
    line: ({ lane, model, why }) => `! ${lane} does not accept ${modelText(model)}: ${why}`,
  },
  'model-tried-again': { title: 'model tried again' },
  'model-accepted': { title: 'model accepted', line: ({ lane, model }) => `${lane} accepts ${modelText(model)} again` },

  'request-received': { title: 'asked to' },
  'order-received': { title: 'ordered from another machine' },
  'heartbeat-failed': { title: 'the heartbeat cannot be sent to the queue' },

  'bd-task-unreadable': { title: 'bd has a task that fleet cannot run' },
  'bd-write-delayed': { title: 'bd cannot be written, will retry' },
  'bd-write-abandoned': { title: 'bd does not show the change after several tries, its own state stays' },
}

/** The most characters of a title beside its task's id. */
const TITLE = 50

function shortened(title: string): string {
  return bounded(plainLine(title), TITLE)
}

function runEnded({ task, title, outcome, why, becomes }: LogEvents['run-ended']): string {
  if (outcome === 'needs-landing') return `✓ ${task}  ${shortened(title)}  passed: ${why} → lands`
  const next = becomes === undefined || outcome === 'done' ? '' : ` → ${becomes}`
  return `${outcome === 'done' ? '✓' : '■'} ${task}  ${shortened(title)}  ${outcome}${why === '' ? '' : `: ${why}`}${next}`
}

function laneUp({ lane, cap, was }: LogEvents['lane-up']): string {
  const capped = cap === undefined ? '' : `, for at most ${pluralize(cap, 'agent')} at first, because of: ${was ?? ''}`
  return `${lane} is up again${capped}`
}

function lanePaused({ lane, why, until }: LogEvents['lane-paused']): string {
  return `! ${lane} is paused until ${upcoming(Number(until), Date.now())}: ${why}`
}
