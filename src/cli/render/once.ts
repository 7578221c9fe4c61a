import { plainLine } from '../../domain/text/plain.ts'
import type { LeftTask, LeftUndone } from '../../views/left-undone.ts'
import { whyNotRunning } from '../../views/why-not-running.ts'

/** The most waiting tasks that are listed one by one. */
const LISTED = 10

/** The end of `fleet run --once`: `2 done, 1 blocked, 1 waiting`, and what each of the waiting ones waits for. */
export function onceLines(did: { readonly done: number; readonly blocked: number }, left: LeftUndone): string[] {
  const waiting = [...left.tasks, ...left.elsewhere]
  const more = waiting.length - LISTED
  return [
    `${did.done} done, ${did.blocked} blocked, ${waiting.length} waiting`,
    ...waiting.slice(0, LISTED).map((task) => waitingLine(task, left.now)),
    ...(more > 0 ? [`  and ${more} more: fleet tasks --all`] : []),
  ]
}

function waitingLine({ id, waiting }: LeftTask, now: number): string {
  return plainLine(`… ${id}  ${whyNotRunning(waiting, now)}`)
}
