import { settingsOf } from '../../../domain/task/settings.ts'
import type { Task } from '../../../domain/task/task.ts'
import { printableJson } from '../../../domain/text/plain.ts'
import { AppError } from '../../../errors.ts'
import { DependencyRefused } from '../../../ports/dependency-refused.ts'
import type { Amendment } from '../../../ports/task-store.ts'
import { takeInHandEdit } from '../../../store/task-file.ts'
import { validateCommand } from '../../../store/validate-command.ts'
import { issueJson } from '../../../views/json/issue.ts'
import { refusalText } from '../../render/dependency.ts'
import { type BdCall, type BdCommand, BdFailure } from '../command.ts'
import { amendRefusal } from '../parts/amend-refusal.ts'
import { refuseReadonly, refuseTogether } from '../parts/exclusive.ts'
import { named } from '../parts/feedback.ts'
import { handEdits } from '../parts/hand-edits.ts'
import { REFUSED, SETTINGS_FLAGS, TEXT_EXCLUSIVE, TEXT_FLAGS } from '../parts/issue-flags.ts'
import { resolveTask } from '../parts/resolve.ts'
import { keepHandEdit, project } from '../parts/task-file.ts'
import { amendmentFrom, changeProblem, keyProblem } from '../parts/update-change.ts'

/** Every failure was a stale --if-assignee or --if-status: another writer was first, so a retry cannot help. */
const EXIT_MISMATCH = 13

export const NO_ID = 'no issue ID provided; pass an explicit issue ID'

export const update: BdCommand = {
  name: 'update',
  summary: 'Update one or more issues',
  usage: '[id...] [flags]',
  about: `Update one or more issues. Each issue is updated on its own: where some fail, the others are updated all the same,
every failure is reported on stderr, and the exit code is 1 (13 if every failure was an --if-… that did not hold).`,
  examples: [
    'fleet bd update fleet-a1b --claim',
    'fleet bd update fleet-a1b -s open --assignee ""',
    'fleet bd update fleet-a1b --coder codex --model ""',
  ],
  flags: [
    { name: 'status', short: 's', kind: 'text', help: 'New status' },
    { name: 'priority', short: 'p', kind: 'text', help: 'Priority (0-4 or P0-P4, 0=highest)' },
    { name: 'title', kind: 'text', help: 'New title' },
    {
      name: 'type',
      short: 't',
      kind: 'text',
      help: 'New type (bug|feature|task|epic|chore|decision|spike|story|milestone)',
    },
    ...TEXT_FLAGS,
    { name: 'acceptance-criteria', kind: 'text', help: 'Alias for --acceptance', hidden: true },
    { name: 'clear-notes', kind: 'switch', help: 'Remove the notes' },
    { name: 'add-label', kind: 'list', help: 'Add labels (repeatable)' },
    { name: 'remove-label', kind: 'list', help: 'Remove labels (repeatable)' },
    { name: 'set-labels', kind: 'list', help: 'Set labels, replacing all existing (repeatable)' },
    { name: 'parent', kind: 'text', help: 'New parent issue ID (empty to remove the parent)' },
    { name: 'claim', kind: 'switch', help: 'Claim atomically: you become the assignee, the status in_progress' },
    { name: 'force', kind: 'switch', help: "Past another's claim, open blockers and open children" },
    { name: 'if-assignee', kind: 'text', help: 'Only if this is the assignee (empty: nobody); otherwise exit 13' },
    { name: 'if-status', kind: 'text', help: 'Only if this is the status; otherwise exit 13' },
    { name: 'session', kind: 'text', help: 'Session ID for status=closed (or CLAUDE_SESSION_ID)' },
    { name: 'set-metadata', kind: 'many', value: 'key=value', help: 'Set one metadata key (repeatable)' },
    { name: 'unset-metadata', kind: 'many', value: 'key', help: 'Remove one metadata key (repeatable)' },
    { name: 'ephemeral', kind: 'switch', help: 'Mark as short-lived' },
    { name: 'persistent', kind: 'switch', help: 'Undo --ephemeral' },
    ...SETTINGS_FLAGS,
  ],
  refused: REFUSED,
  async run(call) {
    const { args } = call
    if (args.length === 0) throw new BdFailure(NO_ID)
    refuseTogether(call.flags, [...TEXT_EXCLUSIVE, ['force', 'if-assignee']])
    refuseReadonly(call, 'update')
    refuseStrayValue(args)
    const amendment = await amendmentFrom(call)
    if (amendment === undefined) return call.print('No updates specified')
    const problem = (await changeProblem(call, amendment)) ?? keyProblem(call)
    const updated: Task[] = []
    const failures: Failure[] = []
    const warnings: string[] = []
    for (const given of args) {
      const result = await updateOne(call, given, problem ?? amendment)
      if ('failure' in result) {
        failures.push(result.failure)
        continue
      }
      updated.push(result.task)
      if (result.notesReplaced) warnings.push(given)
      if (!call.json && !call.quiet) call.print(`✓ Updated issue: ${named(result.task.id, result.task.title)}`)
    }
    for (const id of warnings) {
      call.warn(`warning: ${id}: --notes replaced existing notes (use --append-notes to preserve history)`)
    }
    if (call.json && updated.length > 0) call.answer(updated.map(issueJson))
    if (failures.length > 0) report(call, failures)
  },
}

interface Failure {
  readonly id: string
  readonly error: string
  readonly guard_mismatch?: true
}

type Updated = { readonly task: Task; readonly notesReplaced: boolean } | { readonly failure: Failure }

/** `what`: the amendment, or why there is none. */
async function updateOne(call: BdCall, given: string, what: Amendment | string): Promise<Updated> {
  let id: string
  try {
    id = await resolveTask(call, given)
  } catch (error) {
    if (!(error instanceof BdFailure)) throw error
    const hint = error.hint === undefined ? '' : ` (${error.hint})`
    call.warn(`Error resolving ${given}: ${error.message}${hint}`)
    return { failure: { id: given, error: `resolving issue: ${error.message}${hint}` } }
  }
  const fail = (why: string, more: { guard_mismatch?: true } = {}): Updated => {
    call.warn(`Error updating ${given}: ${why}`)
    return { failure: { id: given, error: `updating issue: ${why}`, ...more } }
  }
  if (typeof what === 'string') return fail(what)
  try {
    let free = true
    if (what.claim === true) await takeInHandEdit(handEdits(call), id)
    else if (what.change.title !== undefined || what.change.metadata !== undefined) free = await keepHandEdit(call, id)
    await checkNewCommand(call, id, what)
    const result = await call.store.amend(id, what, call.actor)
    if (result.kind === 'amended') {
      const { task, before } = result
      if (free && shown(task) !== shown(before)) project(call, task)
      const { notes } = what.change
      return { task, notesReplaced: notes !== undefined && before.notes !== '' && notes !== before.notes }
    }
    const refusal = amendRefusal(id, result, call.actor)
    if (refusal.plain !== true) return fail(refusal.why, refusal.mismatch === true ? { guard_mismatch: true } : {})
    call.warn(refusal.why)
    return { failure: { id: given, error: refusal.why } }
  } catch (error) {
    if (error instanceof DependencyRefused) return fail(refusalText(error.edge, error.result))
    if (error instanceof AppError && error.code !== 'queue') {
      return fail(error.hint === undefined ? error.message : `${error.message} (${error.hint})`)
    }
    throw error
  }
}

/** Refuses a command for a coder that runs no scripts, and such a coder for a task with a command. */
async function checkNewCommand(call: BdCall, id: string, { change }: Amendment): Promise<void> {
  const { flags, home } = call
  if (change.metadata === undefined || !(flags.has('command') || flags.has('coder') || flags.has('metadata'))) return
  const { metadata } = (await call.store.get(id)) ?? { metadata: {} }
  await validateCommand(settingsOf(change.metadata(metadata)), { home, named: '--command' })
}

/** The fields of a task that task.json contains. */
function shown(task: Task): string {
  return JSON.stringify([task.title, settingsOf(task.metadata)])
}

/** `--set-metadata a=1 b=2` makes an id of `b=2`; no id holds an equals sign. */
function refuseStrayValue(args: readonly string[]): void {
  const stray = args.find((arg) => arg.includes('='))
  if (stray === undefined) return
  throw new BdFailure(
    `positional argument ${JSON.stringify(stray)} contains '=', which no issue id does — this is a mis-typed flag value; repeat the flag per pair, e.g. --set-metadata a=1 --set-metadata b=2`,
  )
}

function report(call: BdCall, failures: readonly Failure[]): void {
  const error = `${failures.length} of ${call.args.length} issues failed to update`
  if (call.json) {
    const inner = { error, failed: failures }
    const envelope = call.env['BD_JSON_ENVELOPE'] === '1'
    call.warn(printableJson(envelope ? { data: inner, schema_version: 1 } : { ...inner, schema_version: 1 }))
  } else {
    call.warn(`Error: ${error}`)
    for (const failure of failures) call.warn(`  ${failure.id}: ${failure.error}`)
  }
  call.fail(failures.every((failure) => failure.guard_mismatch === true) ? EXIT_MISMATCH : 1)
}
