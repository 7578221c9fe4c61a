import { openSharedQueue } from '../app.ts'
import { AppError } from '../errors.ts'
import type { Home } from '../platform/home.ts'
import type { Check } from './check.ts'

/** A queue that stands elsewhere; nothing to say of one that is the home's own. */
export async function checkQueue(home: Home): Promise<readonly Check[]> {
  try {
    await using queue = await openSharedQueue(home)
    if (queue === undefined) return []
    const count = await queue.count({})
    return [{ name: 'queue', state: 'ok', found: `${queue.location}: ${count} ${count === 1 ? 'task' : 'tasks'}` }]
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const todo = error.hint === undefined ? {} : { todo: error.hint }
    return [{ name: 'queue', state: 'fail', found: error.message, ...todo }]
  }
}
