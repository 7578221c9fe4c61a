import type { Checkout } from '../platform/git/checkout.ts'
import { type LookingGit, looking } from '../platform/git/look.ts'
import type { Execution } from '../platform/process/exec.ts'
import { type Dirty, dirtyPaths } from './dirty-paths.ts'

type Found = Promise<Dirty | Execution>

const known = new WeakMap<object, Map<string, Found>>()

/** The dirty paths of a checkout, looked at once for all who ask with this key. A look that fails is made again. */
export async function dirtyTogether(key: object, checkout: Checkout, git: LookingGit): Found {
  const { root } = checkout
  const looks = known.get(key) ?? new Map<string, Found>()
  known.set(key, looks)
  const found = looks.get(root) ?? dirtyNow(checkout, git)
  looks.set(root, found)
  try {
    return await found
  } catch (error) {
    looks.delete(root)
    throw error
  }
}

interface Turn {
  readonly over: Promise<void>
  /** For those who asked while it was looking. */
  next?: Found
}

const turns = new Map<string, Turn>()

/**
 * The dirty paths of a checkout, by a look that begins after it is asked for. One look at a time: those who ask meanwhile, as
 * runs do that begin or end at once beside the same primary checkout, share the next one.
 */
export async function dirtyNow(checkout: Checkout, git: LookingGit): Found {
  const { root } = checkout
  const turn = turns.get(root)
  if (turn === undefined) return await looked(root, () => dirtyPaths(git, root))
  // By a git of its own: each sees HEAD as it was when it was made.
  turn.next ??= turn.over.then(() => looked(root, () => looking(checkout, process.env, (own) => dirtyPaths(own, root))))
  return await turn.next
}

function looked(root: string, look: () => Found): Found {
  const found = look()
  const isOver = (): void => {
    if (turn.next === undefined) turns.delete(root)
  }
  const turn: Turn = { over: found.then(isOver, isOver) }
  turns.set(root, turn)
  return found
}
