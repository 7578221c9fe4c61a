import { examineBeads, examineServer, queueKind } from '../app.ts'
import { pluralize } from '../domain/text/pluralize.ts'
import { AppError } from '../errors.ts'
import type { Home } from '../platform/files/home.ts'
import type { Check } from './check.ts'

/** Where the tasks are, and whether they can be reached there; nothing to say of fleet.db, which is looked at by itself. */
export async function checkQueue(home: Home, env: NodeJS.ProcessEnv): Promise<readonly Check[]> {
  try {
    const check = await finding(home, env)
    return check === undefined ? [] : [{ name: 'queue', ...check }]
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const todo = error.hint === undefined ? {} : { todo: error.hint }
    return [{ name: 'queue', state: 'fail', found: error.message, ...todo }]
  }
}

async function finding(home: Home, env: NodeJS.ProcessEnv): Promise<Omit<Check, 'name'> | undefined> {
  const kind = await queueKind(home)
  if (kind === 'postgres') {
    const { location, schema, version, tasks } = await examineServer(home)
    return { state: 'ok', found: `${location}: ${pluralize(tasks, 'task')} in schema ${schema}, PostgreSQL ${version}` }
  }
  const beads = await examineBeads(home, env)
  if (beads === undefined) return undefined
  const found = `${home.beads}: ${pluralize(beads.tasks, 'task')}, by ${beads.bd}`
  const [why] = beads.unread
  if (why === undefined) return { state: 'ok', found }
  return {
    state: 'warn',
    found: `${found}; ${pluralize(beads.unread.length, 'task')} of them cannot be run: ${why}`,
    todo: 'what waits for them waits until they are closed: fleet bd close <id>',
  }
}
