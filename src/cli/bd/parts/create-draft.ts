import { ambiguity } from '../../../domain/task/ambiguous-id.ts'
import type { Metadata, Task } from '../../../domain/task/task.ts'
import type { TaskDraft } from '../../../ports/queue.ts'
import { type BdCall, BdFailure } from '../command.ts'
import { parseDependencies, resolveDependencies, waitsFor } from './create-dependencies.ts'
import {
  estimateOf,
  inText,
  isPast,
  labelsOf,
  metadataOf,
  priorityOf,
  statusOf,
  timeOf,
  typeOf,
  warnPastDefer,
} from './issue-input.ts'
import { hintOf } from './resolve.ts'
import { metadataOfNew } from './task-file.ts'
import { descriptionOf, designOf } from './text-input.ts'

/** The new task as the flags describe it, in the order bd checks them. Nothing is written here. */
export async function draftFrom(call: BdCall, title: string): Promise<TaskDraft> {
  const { flags } = call
  const text = (name: string): string => flags.text(name) ?? ''
  const description = withSections(descriptionOf(call) ?? '', { Skills: text('skills'), Context: text('context') })
  const design = designOf(call) ?? ''
  const priority = priorityOf(flags.text('priority') ?? '2', inText)
  const status = text('status') === '' ? undefined : await statusOf(call, text('status'))
  const own = labelsOf(call, [...flags.all('labels'), ...flags.all('label')])
  const due = timeOf(call, 'due', inText) ?? null
  const defer = timeOf(call, 'defer', inText) ?? null
  const past = defer !== null && isPast(call, defer)
  if (past && !flags.on('silent') && !call.quiet) warnPastDefer(call, defer)
  const metadata = await withCwd(call, metadataOf(call, inText) ?? {})
  const estimate = estimateOf(flags, inText)
  const id = text('id')
  if (id !== '' && text('parent') !== '') throw inText('cannot specify both --id and --parent flags')
  const parent = await parentOf(call)
  const draft: TaskDraft = {
    title,
    description,
    design,
    acceptance_criteria: text('acceptance'),
    notes: [text('notes'), text('append-notes')].filter((note) => note !== '').join('\n'),
    spec_id: text('spec-id'),
    status: status ?? (defer !== null && !past ? 'deferred' : 'open'),
    priority,
    issue_type: typeOf(flags.text('type') ?? 'task'),
    assignee: text('assignee'),
    estimated_minutes: estimate ?? null,
    due_at: due,
    defer_until: defer,
    external_ref: text('external-ref') || null,
    metadata,
    ephemeral: flags.on('ephemeral'),
    labels: [...new Set([...own, ...(flags.on('no-inherit-labels') ? [] : (parent?.labels ?? []))])],
    ...(id === '' ? {} : { id }),
    ...(parent === undefined ? {} : { parent: parent.id }),
  }
  if (flags.on('dry-run')) return draft
  const specs = parseDependencies(flags.all('deps'))
  const waits = await waitsFor(call)
  if (id !== '') checkId(call, id)
  return { ...draft, dependencies: [...(await resolveDependencies(call, specs)), ...waits] }
}

function withSections(description: string, sections: { Skills: string; Context: string }): string {
  const parts = [description]
  if (sections.Skills !== '') parts.push(`## Required Skills\n${sections.Skills}`)
  if (sections.Context !== '') parts.push(`## Context\n${sections.Context}`)
  return parts.filter((part) => part !== '').join('\n\n')
}

/** A task records the directory it is created in, unless --cwd names another. */
async function withCwd(call: BdCall, metadata: Metadata): Promise<Metadata> {
  if (call.flags.text('cwd') === '') {
    throw new BdFailure('--cwd is empty', { json: 'text', hint: 'leave it out to use the directory you are in' })
  }
  return await metadataOfNew(call, metadata)
}

/** The task of --parent, by full or short id. */
export async function parentOf(call: BdCall): Promise<Task | undefined> {
  const given = call.flags.text('parent') ?? ''
  if (given === '') return undefined
  const match = await call.store.resolve(given)
  if (match.kind === 'ambiguous') throw inText(ambiguity(given, match.ids))
  const task = match.kind === 'found' ? await call.store.get(match.id) : undefined
  if (task !== undefined) return task
  const near = match.kind === 'unknown' ? hintOf(match.near) : {}
  throw new BdFailure(`parent issue ${given} not found`, { json: 'text', ...near })
}

function checkId(call: BdCall, id: string): void {
  const { prefix } = call.store
  if (!id.includes('-')) {
    throw inText(
      `invalid ID format '${id}' (expected format: prefix-hash or prefix-hash.number, e.g., 'bd-a3f8e9' or 'bd-a3f8e9.1')`,
    )
  }
  if (id.startsWith(`${prefix}-`) || call.flags.on('force')) return
  throw inText(`prefix mismatch: database uses '${prefix}-' but ID '${id}' doesn't match (use --force to override)`)
}
