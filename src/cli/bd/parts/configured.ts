import {
  CUSTOM_STATUSES,
  CUSTOM_TYPES,
  type CustomStatus,
  parseStatuses,
  parseTypes,
} from '../../../domain/queue/bd-configuration.ts'
import { STATUSES, TASK_TYPES } from '../../../domain/task/task.ts'
import type { BdCall } from '../command.ts'

/** The queue's own statuses and types. Asked for only where a word is not bd's own, because most calls need none. */

export async function customStatuses({ store }: Pick<BdCall, 'store'>): Promise<readonly CustomStatus[]> {
  const read = parseStatuses((await store.values.get(CUSTOM_STATUSES)) ?? '')
  return typeof read === 'string' ? [] : read
}

export async function customTypes({ store }: Pick<BdCall, 'store'>): Promise<readonly string[]> {
  return parseTypes((await store.values.get(CUSTOM_TYPES)) ?? '')
}

export async function isKnownType(call: BdCall, type: string): Promise<boolean> {
  return (TASK_TYPES as readonly string[]).includes(type) || (await customTypes(call)).includes(type)
}

/** The statuses that a word may be, if it is none of them; undefined: it is one. */
export async function statusesIfUnknown(call: BdCall, status: string): Promise<readonly string[] | undefined> {
  if ((STATUSES as readonly string[]).includes(status)) return undefined
  const own = (await customStatuses(call)).map(({ name }) => name)
  return own.includes(status) ? undefined : [...STATUSES, ...own]
}

/** Custom statuses that `list` leaves out unless it is asked for them. */
export async function hiddenStatuses(call: BdCall): Promise<readonly string[]> {
  const { store } = call
  if (store.values.costly === true && (await store.count({ notStatuses: STATUSES })) === 0) return []
  const hidden = (await customStatuses(call)).filter(({ category }) => category === 'done' || category === 'frozen')
  return hidden.map(({ name }) => name)
}
