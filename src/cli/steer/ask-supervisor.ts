import type { Request } from '../../domain/run/run.ts'
import type { Home } from '../../platform/files/home.ts'
import { wait } from '../../platform/runtime/wait.ts'
import { supervisorAlive } from '../../platform/sqlite/supervisor-lock.ts'
import type { Ledger } from '../../ports/ledger.ts'

export interface Wish {
  readonly kind: Request['kind']
  readonly tasks: readonly string[]
  readonly by: string
}

export interface Asking {
  readonly home: Home
  readonly ledger: Ledger
  /** Progress, where it takes long. */
  warn(line: string): void
}

export interface Answered {
  readonly task: string
  /** What the supervisor did; undefined: it went away before it told. */
  readonly answer: string | undefined
}

const POLL_MS = 25
const PATIENCE_MS = 1000

/** Asks the supervisor, and comes back when all of it is done, or the supervisor has gone. */
export async function askSupervisor({ home, ledger, warn }: Asking, { kind, tasks, by }: Wish): Promise<Answered[]> {
  const asked = tasks.map((task) => ledger.request(kind, task, by, Date.now()))
  const open = () => asked.filter(({ id }) => (ledger.requestById(id)?.doneAt ?? null) === null)
  let told = ''
  for (let left = open(), since = Date.now(); left.length > 0; left = open()) {
    await wait(POLL_MS)
    if (Date.now() - since < PATIENCE_MS) continue
    if (supervisorAlive(home) === undefined) break
    const tasks = left.map(({ task }) => task).join(', ')
    if (tasks !== told) warn(`waiting for ${tasks} to end; what does not is killed after timeouts.grace`)
    told = tasks
    since = Date.now()
  }
  return asked.map(({ id, task }) => ({ task, answer: answerOf(ledger, id) }))
}

/** What nobody answered is withdrawn: the next supervisor must not stop a later run for it. */
function answerOf(ledger: Ledger, id: number): string | undefined {
  return ledger.together(() => {
    const request = ledger.requestById(id)
    if (request !== undefined && request.doneAt !== null) return request.answer ?? 'done'
    ledger.endRequest(id, { kind: 'withdrawn', at: Date.now(), text: 'withdrawn: the supervisor went away' })
    return undefined
  })
}
