import { plainLine } from '../../../domain/text/plain.ts'
import type { CloseResult } from '../../../ports/queue.ts'
import type { AmendResult } from '../../../ports/task-store.ts'

export interface Refusal {
  readonly why: string
  /** bd prints this message without naming the update. */
  readonly plain?: boolean
  readonly mismatch?: boolean
}

/** Why an update was refused, in bd's words. */
export function amendRefusal(id: string, result: Exclude<AmendResult, { kind: 'amended' }>, actor: string): Refusal {
  switch (result.kind) {
    case 'unknown':
      return { why: `issue ${id} not found` }
    case 'template':
      return { why: templateRefusal(id), plain: true }
    case 'held':
      return {
        why: `cannot reassign ${id}: held by ${JSON.stringify(result.by)} (in_progress); coordinate with the holder — pass --force only if their claim is abandoned (crashed agent), or give it back first with fleet bd unclaim --force`,
        plain: true,
      }
    case 'locks-held':
      return {
        why: `cannot change the locks of ${id}: ${JSON.stringify(result.by)} works on it with those that it has; set them when it has ended — --force changes them now, and tasks on other machines may then run beside it`,
        plain: true,
      }
    case 'mismatch': {
      const [is, expected] = [JSON.stringify(result.is), JSON.stringify(result.expected)]
      const found = result.field === 'status' ? `has status ${is}` : `is held by ${is}`
      return { why: `${result.field} mismatch: ${id} ${found}, expected ${expected}`, mismatch: true }
    }
    case 'claim-refused':
      return { why: claimRefusal(result) }
    case 'close-refused':
      return { why: closeRefusal(id, result.why, actor) ?? 'refused' }
  }
}

function templateRefusal(id: string): string {
  return `cannot modify template ${id}: templates are read-only; fleet bd create makes a work item`
}

function claimRefusal({ why, status }: Extract<AmendResult, { kind: 'claim-refused' }>): string {
  switch (why.kind) {
    case 'unknown':
      return 'issue not found'
    case 'held':
      return status === 'open'
        ? `issue already claimed: already assigned to ${JSON.stringify(why.by)} — coordinate with the holder; if their claim is abandoned (crashed agent), fleet bd unclaim --force gives it back`
        : `issue already claimed by ${plainLine(why.by)}`
    case 'not-claimable':
      return `issue not claimable: status ${why.status}`
    case 'blocked':
      return `issue not claimable: blocked by [${why.by.join(' ')}] (use --force to override)`
  }
}

export function openChildrenRefusal(id: string, count: number): string {
  return `cannot close ${id}: ${count} open child issue(s); close children first or use --force to override`
}

/** Why a task cannot be closed; undefined if it can. */
export function closeRefusal(id: string, result: CloseResult, actor: string): string | undefined {
  switch (result.kind) {
    case 'blocked':
      return `cannot close blocked issue: ${id} is blocked by [${result.by.join(' ')}]`
    case 'open-children':
      return openChildrenRefusal(id, result.children.length)
    case 'pinned':
      return `cannot modify pinned issue ${id} (use --force to override)`
    case 'template':
      return templateRefusal(id)
    case 'held': {
      const [holder, by] = [JSON.stringify(result.by), JSON.stringify(actor)]
      return `cannot close ${id}: assignee is ${holder}, actor is ${by}; use --force to override`
    }
    case 'unknown':
      return `issue ${id} not found`
    case 'closed':
    case 'already':
      return undefined
  }
}
