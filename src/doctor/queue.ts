import { examineQueue } from '../app.ts'
import { AppError } from '../errors.ts'
import type { Home } from '../platform/files/home.ts'
import type { Check } from './check.ts'

/** Where the tasks are, and whether fleet can reach them. Tasks in fleet.db have their own check, so this reports nothing. */
export async function checkQueue(home: Home, env: NodeJS.ProcessEnv): Promise<readonly Check[]> {
  try {
    const report = await examineQueue(home, env)
    return report === undefined ? [] : [{ name: 'queue', ...report }]
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const todo = error.hint === undefined ? {} : { todo: error.hint }
    return [{ name: 'queue', state: 'fail', found: error.message, ...todo }]
  }
}
