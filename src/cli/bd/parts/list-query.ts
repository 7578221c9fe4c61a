import type { SortField, TaskQuery } from '../../../ports/task-store.ts'
import { type BdCall, BdFailure } from '../command.ts'
import { hiddenStatuses, statusesIfUnknown } from './configured.ts'
import { excludedTypes, knownType, priorityFrom, sharedFilter, trimmed } from './filters.ts'

/** Types that carry messages and roles between agents, not work; bd lists them only on request. */
const INFRASTRUCTURE = ['agent', 'role', 'message']

const SORTS = ['priority', 'created', 'updated', 'closed', 'status', 'id', 'title', 'type', 'assignee']

/** The store query of `list`: the flags, plus bd's default exclusions unless a flag lifts them. */
export async function listQuery(call: BdCall): Promise<TaskQuery> {
  const { flags } = call
  const priorities = prioritiesFrom(call)
  exclusive(call, 'pinned', 'no-pinned')
  exclusive(call, 'parent', 'no-parent')
  const shared = sharedFilter(call, { time: 'text', metadata: 'stdout' })
  const sort = sortFrom(call)
  const statuses = await statusesFrom(call, flags.text('status') ?? '')
  const type = flags.text('type') ?? ''
  const ids = trimmed((flags.text('id') ?? '').split(','))
  const parent = flags.text('parent') ?? ''
  return {
    ...shared,
    ...priorities,
    ...(await statusScope(call, statuses)),
    ...typeScope(call, type === '' ? undefined : await knownType(call, type)),
    ...(ids.length === 0 ? {} : { ids }),
    ...(parent === '' ? {} : { parent: await wholeId(call, parent) }),
    // As in `ready`: work below the parent at any depth.
    ...(parent !== '' && flags.on('ready') ? { recursive: true } : {}),
    sort: sort ?? (flags.on('ready') ? 'ready' : 'priority'),
    reverse: flags.on('reverse'),
  }
}

/** An id that does not resolve stays as typed and matches nothing. */
export async function wholeId(call: BdCall, text: string): Promise<string> {
  const match = await call.store.resolve(text)
  return match.kind === 'found' ? match.id : text
}

function exclusive({ flags }: BdCall, one: string, other: string): void {
  const given = flags.on(one) || (one === 'parent' && (flags.text(one) ?? '') !== '')
  if (given && flags.on(other)) throw new BdFailure(`--${one} and --${other} are mutually exclusive`, { json: 'text' })
}

export function prioritiesFrom({ flags }: BdCall): TaskQuery {
  const read = (name: string): number | undefined => {
    const text = flags.text(name)
    if (text === undefined) return undefined
    if (name === 'priority') return priorityFrom(text)
    try {
      return priorityFrom(text)
    } catch (error) {
      throw new BdFailure(`parsing --${name}: ${(error as Error).message}`, { json: 'text' })
    }
  }
  const [priority, priorityMin, priorityMax] = ['priority', 'priority-min', 'priority-max'].map(read)
  return {
    ...(priority === undefined ? {} : { priority }),
    ...(priorityMin === undefined ? {} : { priorityMin }),
    ...(priorityMax === undefined ? {} : { priorityMax }),
  }
}

export function sortFrom({ flags }: BdCall): SortField | undefined {
  const text = flags.text('sort') ?? ''
  if (text === '') return undefined
  if (SORTS.includes(text)) return text as SortField
  throw new BdFailure(`invalid sort field ${JSON.stringify(text)} (valid: ${SORTS.join(', ')})`, { json: 'text' })
}

/** One status, several, or `all`. Empty: no filter. */
export async function statusesFrom(call: BdCall, text: string): Promise<string[]> {
  const parts = text === '' ? [] : text.split(',').map((part) => part.trim())
  if (parts.length === 1 && parts[0] === 'all') return parts
  const among = parts.length > 1 ? ' in multi-status filter' : ''
  for (const part of parts) {
    const valid = await statusesIfUnknown(call, part)
    if (valid === undefined) continue
    const message =
      part === 'all'
        ? 'status "all" cannot be combined with other statuses'
        : `invalid status ${JSON.stringify(part)}${among} (valid: ${valid.join(', ')})`
    throw new BdFailure(message, { json: 'text' })
  }
  return parts
}

/** Without a status filter, `list` omits closed and pinned tasks. */
async function statusScope(call: BdCall, statuses: readonly string[]): Promise<TaskQuery> {
  const { flags } = call
  if (flags.on('ready')) return { ready: true }
  const every = statuses[0] === 'all' || (statuses.length === 0 && flags.on('all'))
  const asksForPinned = every || statuses.includes('pinned') || statuses.includes('hooked')
  const pinned = flags.on('pinned')
    ? true
    : flags.on('no-pinned') || !(asksForPinned || flags.on('all'))
      ? false
      : undefined
  return {
    ...(pinned === undefined ? {} : { pinned }),
    ...(every
      ? {}
      : statuses.length > 0
        ? { statuses }
        : flags.on('pinned')
          ? {}
          : { notStatuses: ['closed', 'pinned', ...(await hiddenStatuses(call))] }),
  }
}

function typeScope(call: BdCall, type: string | undefined): TaskQuery {
  const { flags } = call
  const infrastructure = flags.on('include-infra') || (type !== undefined && INFRASTRUCTURE.includes(type))
  const notTypes = [
    ...(flags.on('include-gates') || type === 'gate' ? [] : ['gate']),
    ...(infrastructure ? [] : INFRASTRUCTURE),
    ...excludedTypes(call),
  ]
  return {
    ...(type === undefined ? {} : { types: [type] }),
    ...(notTypes.length === 0 ? {} : { notTypes }),
    ...(flags.on('include-templates') ? {} : { template: false }),
    ...(infrastructure ? { includeEphemeral: true } : { ephemeral: false }),
  }
}
