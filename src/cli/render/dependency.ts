import { TYPE_NAMES } from '../../domain/task/dependency.ts'
import { parentOf } from '../../domain/task/id.ts'
import { plainLine } from '../../domain/text/plain.ts'
import type { AddDependencyResult, NewDependency } from '../../ports/queue.ts'

/** Why an edge was not added, as bd says it; the cycle is shown, which bd leaves to the reader. */
export function refusalText(
  { issue_id: id, depends_on_id: on, type }: NewDependency,
  why: AddDependencyResult,
): string {
  switch (why.kind) {
    case 'unknown':
      return `issue ${why.id} not found`
    case 'itself':
      return `cannot add self-dependency: ${id} cannot depend on itself`
    case 'own-parent':
      return `${id} cannot be blocked by its ancestor ${on}: ${on} cannot close until its descendants finish, so the gate would never clear`
    case 'own-child':
      return `${id} cannot be blocked by its descendant ${on}: blocked status cascades to descendants, so ${on} would inherit the block and never close`
    case 'waits-for-ancestor':
      return `${id} cannot become a child of ${on}: ${why.task} is blocked by ${why.ancestor}, which would be its ancestor and cannot close until its descendants finish; remove that dependency first`
    case 'other-type':
      return `dependency ${id} -> ${on} already exists with type "${why.type}" (requested "${type}"); remove it first with 'bd dep remove' then re-add`
    case 'cycle':
      return `adding dependency would create a cycle: ${why.path.join(' → ')}`
    case 'added':
    case 'already':
      return ''
  }
}

/** How an edge reads from its dependent; a type nobody knows reads as itself. */
const PHRASES: Readonly<Record<string, string>> = {
  blocks: 'depends on',
  'parent-child': 'is a child of',
  'conditional-blocks': 'conditionally depends on',
  'waits-for': 'waits for',
  related: 'is related to',
  'relates-to': 'relates to',
  'discovered-from': 'was discovered from',
  'replies-to': 'replies to',
  duplicates: 'duplicates',
  supersedes: 'is superseded by',
  'authored-by': 'was authored by',
  'assigned-to': 'is assigned to',
  'approved-by': 'was approved by',
  attests: 'attests',
  tracks: 'tracks',
  until: 'is active until',
  'caused-by': 'was caused by',
  validates: 'validates',
  'delegated-from': 'was delegated from',
}

export function phraseOf(type: string): string {
  return PHRASES[type] ?? type
}

const MAX_TYPE_LENGTH = 32

/** undefined: a type that may be named. */
export function wrongType(type: string): string | undefined {
  if (TYPE_NAMES.includes(type)) return undefined
  const valid = `valid types: ${TYPE_NAMES.join(', ')}`
  if (type === '' || type.length > MAX_TYPE_LENGTH) {
    return `invalid dependency type ${JSON.stringify(type)} (must be non-empty, max ${MAX_TYPE_LENGTH} chars); ${valid}`
  }
  return `unknown dependency type ${JSON.stringify(type)}; ${valid}`
}

/** An id such as a.1 says already whose child it is: only the edge that says the same may join the two. */
export function alreadyChild({ issue_id: id, depends_on_id: on, type }: NewDependency): string | undefined {
  if (!id.startsWith(`${on}.`) || (type === 'parent-child' && parentOf(id) === on)) return undefined
  return `cannot add dependency: ${id} is already a child of ${on}`
}

/** undefined: a reference as it should be. */
export function wrongExternal(reference: string): string | undefined {
  const [, project, ...capability] = reference.split(':')
  if (capability.length === 0) {
    return `invalid external reference format: expected 'external:<project>:<capability>', got '${reference}'`
  }
  if (project === '') return 'external reference missing project name'
  return capability.join(':') === '' ? 'external reference missing capability name' : undefined
}

/** `id (title)`; the id alone where there is no such task here. */
export function named(id: string, title: string): string {
  const line = plainLine(title)
  const letters = [...line]
  if (title === '') return id
  return `${id} (${letters.length > TITLE_SHOWN ? `${letters.slice(0, TITLE_SHOWN - 1).join('')}…` : line})`
}

const TITLE_SHOWN = 255
