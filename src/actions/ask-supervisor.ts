import type { Request } from '../domain/run/run.ts'
import { wait } from '../platform/runtime/wait.ts'
import { supervisorAlive } from '../platform/sqlite/supervisor-lock.ts'
import type { Ledger } from '../ports/ledger.ts'
import type { ActionContext } from './action-context.ts'

export interface Wish {
  readonly kind: Request['kind']
  readonly tasks: readonly string[]
}

export interface Answered {
  readonly task: string
  /** The supervisor's answer; undefined: it ended before it answered. */
  readonly answer: string | undefined
}

const POLL_MS = 25
const PATIENCE_MS = 1000

/** Asks the supervisor of this home; returns when it has answered for every task, or has ended. */
export async function askSupervisor(
  { home, by, progress, ledger }: ActionContext & { readonly ledger: Ledger },
  { kind, tasks }: Wish,
): Promise<Answered[]> {
  const asked = tasks.map((task) => ledger.request(kind, task, by, Date.now()))
  const open = () => asked.filter(({ id }) => (ledger.requestById(id)?.doneAt ?? null) === null)
  let reported = ''
  for (let left = open(), since = performance.now(); left.length > 0; left = open()) {
    await wait(POLL_MS)
    if (performance.now() - since < PATIENCE_MS) continue
    if (supervisorAlive(home) === undefined) break
    const ending = left.map(({ task }) => task)
    if (ending.join() !== reported) progress?.({ kind: 'tasks-ending', tasks: ending })
    reported = ending.join()
    since = performance.now()
  }
  return asked.map(({ id, task }) => ({ task, answer: answerOf(ledger, id) }))
}

/** A request without an answer is withdrawn: the next supervisor must not stop a later run for it. */
function answerOf(ledger: Ledger, id: number): string | undefined {
  return ledger.together(() => {
    const request = ledger.requestById(id)
    if (request !== undefined && request.doneAt !== null) return request.answer ?? 'done'
    ledger.endRequest(id, { kind: 'withdrawn', at: Date.now(), text: 'withdrawn: the supervisor went away' })
    return undefined
  })
}
