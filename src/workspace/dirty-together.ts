import type { dirtyPaths } from './dirty-paths.ts'

type Dirty = Awaited<ReturnType<typeof dirtyPaths>>

const looks = new WeakMap<object, Map<string, Promise<Dirty>>>()

/** The dirty paths of a checkout, looked at once for all who ask with this key. A look that fails is made again. */
export async function dirtyTogether(key: object, root: string, look: () => Promise<Dirty>): Promise<Dirty> {
  const known = looks.get(key) ?? new Map<string, Promise<Dirty>>()
  looks.set(key, known)
  const found = known.get(root) ?? look()
  known.set(root, found)
  try {
    return await found
  } catch (error) {
    known.delete(root)
    throw error
  }
}
