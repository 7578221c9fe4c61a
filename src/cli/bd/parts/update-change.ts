import { flagOf, mergedMetadata, SETTING_NAMES, SETTINGS_KEY, withSettings } from '../../../domain/task/settings.ts'
import type { Amendment, TaskChange } from '../../../ports/task-store.ts'
import { type BdCall, BdFailure } from '../command.ts'
import { titleProblem } from '../commands/create.ts'
import { isKnownType } from './configured.ts'
import {
  estimateOf,
  inJson,
  isPast,
  labelsOf,
  metadataOf,
  priorityOf,
  statusOf,
  timeOf,
  typeOf,
  warnPastDefer,
} from './issue-input.ts'
import { givenSettings, recordedRepository, settingsIn } from './task-file.ts'
import { descriptionOf, designOf } from './text-input.ts'

/** The change that the flags ask for, the same for every id, checked in bd's order. undefined: no change. */
export async function amendmentFrom(call: BdCall): Promise<Amendment | undefined> {
  const { flags } = call
  const change: { -readonly [K in keyof TaskChange]: TaskChange[K] } = {
    ...(await statusChange(call)),
    ...(flags.has('priority') ? { priority: priorityOf(flags.text('priority') ?? '', inJson) } : {}),
    ...titleChange(call),
    ...(flags.has('assignee') ? { assignee: flags.text('assignee') ?? '' } : {}),
    ...defined({ description: descriptionOf(call), design: designOf(call) }),
    ...notesChange(call),
    ...defined({ acceptance_criteria: flags.text('acceptance') ?? flags.text('acceptance-criteria') }),
    ...(flags.has('external-ref') ? { external_ref: flags.text('external-ref') || null } : {}),
    ...defined({ spec_id: flags.text('spec-id'), estimated_minutes: estimateOf(flags, inJson) }),
    ...(flags.has('type') ? { issue_type: typeOf(flags.text('type') ?? '') } : {}),
    ...labelChange(call),
    ...defined({ parent: flags.text('parent') }),
    ...timeChange(call),
    ...persistence(call),
    ...(await metadataChange(call)),
  }
  const claim = flags.on('claim')
  if (Object.keys(change).length === 0 && !claim) return undefined
  const expect = await expectation(call, change)
  return { change, claim, force: flags.on('force'), ...(expect === undefined ? {} : { expect }) }
}

/** Errors that bd finds only when it writes, so they are reported once per id. */
export async function changeProblem(call: BdCall, { change }: Amendment): Promise<string | undefined> {
  const title = change.title === undefined ? undefined : titleProblem(change.title)
  if (title !== undefined) return `validation failed: update title: ${title}`
  if (change.issue_type !== undefined && !(await isKnownType(call, change.issue_type))) {
    return `validation failed: invalid issue type ${change.issue_type}`
  }
  return undefined
}

function defined<T extends object>(values: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as never
}

async function statusChange(call: BdCall): Promise<TaskChange> {
  const status = call.flags.text('status')
  if (status === undefined) return {}
  const session = call.flags.text('session') || call.env['CLAUDE_SESSION_ID'] || ''
  return {
    status: await statusOf(call, status),
    ...(status === 'closed' && session !== '' ? { closed_by_session: session } : {}),
  }
}

function titleChange({ flags }: BdCall): TaskChange {
  const title = flags.text('title')?.trim()
  if (title === '') throw new BdFailure('title cannot be empty')
  return title === undefined ? {} : { title }
}

function notesChange({ flags }: BdCall): TaskChange {
  if (flags.has('notes') && flags.has('append-notes')) {
    throw new BdFailure('cannot specify both --notes and --append-notes')
  }
  if (flags.on('clear-notes')) return { notes: '' }
  return defined({ notes: flags.text('notes'), appendNotes: flags.text('append-notes') })
}

function labelChange(call: BdCall): TaskChange {
  const { flags } = call
  return {
    ...(flags.has('add-label') ? { addLabels: labelsOf(call, flags.all('add-label')) } : {}),
    ...(flags.has('remove-label') ? { removeLabels: flags.all('remove-label').map((label) => label.trim()) } : {}),
    ...(flags.has('set-labels') ? { setLabels: labelsOf(call, flags.all('set-labels')) } : {}),
  }
}

function timeChange(call: BdCall): TaskChange {
  const due = timeOf(call, 'due', inJson)
  const defer = timeOf(call, 'defer', inJson)
  const past = typeof defer === 'string' && isPast(call, defer)
  if (past && !call.json) warnPastDefer(call, defer)
  const deferred = typeof defer === 'string' && !past && !call.flags.has('status')
  return { ...defined({ due_at: due, defer_until: defer }), ...(deferred ? { status: 'deferred' } : {}) }
}

function persistence({ flags }: BdCall): TaskChange {
  if (flags.has('ephemeral') && flags.has('persistent')) {
    throw new BdFailure('cannot specify both --ephemeral and --persistent flags')
  }
  if (flags.has('ephemeral')) return { ephemeral: true }
  return flags.has('persistent') ? { ephemeral: false } : {}
}

const KEY = /^[a-zA-Z_][a-zA-Z0-9_./]*$/

/** Applied to the metadata at the time of the write, so concurrent writers lose nothing. */
async function metadataChange(call: BdCall): Promise<TaskChange> {
  const { flags } = call
  const merge = metadataOf(call, inJson)
  const set = flags.all('set-metadata').map(pair)
  const unset = flags.all('unset-metadata')
  if (merge !== undefined && (set.length > 0 || unset.length > 0)) {
    throw new BdFailure('cannot combine --metadata with --set-metadata or --unset-metadata')
  }
  if (unset.includes(SETTINGS_KEY) || set.some(([key]) => key === SETTINGS_KEY)) {
    throw new BdFailure(
      `metadata key ${JSON.stringify(SETTINGS_KEY)} holds the settings of the task: ${SETTING_NAMES.join(', ')}`,
      {
        hint: `use ${SETTING_NAMES.map((name) => `--${flagOf(name)}`).join(', ')}; an empty value takes one away`,
      },
    )
  }
  const settings = await givenSettings(call, merge === undefined ? {} : settingsIn(merge, inJson))
  if (merge === undefined && set.length + unset.length + Object.keys(settings).length === 0) return {}
  const recorded = await recordedRepository(call, settings.cwd)
  return {
    metadata: (current) => {
      const next: Record<string, unknown> = { ...mergedMetadata(current, merge ?? {}), ...Object.fromEntries(set) }
      for (const key of unset) delete next[key]
      return recorded(withSettings(next, settings))
    },
  }
}

export function pair(text: string): [string, unknown] {
  const at = text.indexOf('=')
  if (at < 1) throw new BdFailure(`invalid --set-metadata: expected key=value, got ${JSON.stringify(text)}`)
  return [text.slice(0, at), typed(text.slice(at + 1))]
}

/** Numbers, true, false and null keep their type; everything else is text. */
function typed(text: string): unknown {
  return /^(?:null|true|false|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)$/.test(text) ? JSON.parse(text) : text
}

/** bd checks keys only while writing, id by id. */
export function keyProblem({ flags }: BdCall): string | undefined {
  const keys = [...flags.all('set-metadata').map((text) => text.split('=', 1)[0] ?? ''), ...flags.all('unset-metadata')]
  const bad = keys.find((key) => !KEY.test(key))
  return bad === undefined
    ? undefined
    : `validation failed: invalid metadata key ${JSON.stringify(bad)}: must match ${KEY.source}`
}

const NOT_GUARDED = ['addLabels', 'removeLabels', 'setLabels', 'parent']

async function expectation(call: BdCall, change: TaskChange): Promise<Amendment['expect']> {
  const { flags } = call
  const assignee = flags.text('if-assignee')
  const status = flags.text('if-status')
  if (status !== undefined) await statusOf(call, status, '--if-status')
  if (assignee === undefined && status === undefined) return undefined
  if (flags.on('claim')) {
    throw new BdFailure(
      'cannot combine --if-assignee/--if-status with --claim (--claim is already an atomic compare-and-set)',
    )
  }
  if (Object.keys(change).every((key) => NOT_GUARDED.includes(key))) {
    throw new BdFailure(
      '--if-assignee/--if-status require at least one field update (e.g. -a, -s); label and parent edits are not covered by the guard',
    )
  }
  return defined({ assignee, status })
}
