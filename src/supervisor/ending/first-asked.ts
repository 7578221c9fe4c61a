import { askedText } from '../../domain/evidence/asked.ts'
import type { AskedBase, Base } from '../../ports/workspace.ts'

/**
 * The state of the place where the evidence of a task is asked for, before its first attempt. `bases`: of its attempts, oldest first. If
 * a person has asked for it since, the times decide what changed there from `since` on.
 */
export function firstAsked(bases: readonly Base[], since: number): AskedBase | undefined {
  const last = bases.at(-1)?.asked
  if (last === undefined) return undefined
  const same = bases.map(({ asked }) => asked).find((asked) => asked !== undefined && isSame(asked, last)) ?? last
  const isNew = bases[0]?.asked === undefined || !isSame(bases[0].asked, last)
  if (!isNew || same.path === undefined) return same
  return { ...same, path: { path: same.path.path, files: {}, whole: false, since } }
}

function isSame(one: AskedBase, other: AskedBase): boolean {
  return askedText(one.evidence) === askedText(other.evidence)
}
