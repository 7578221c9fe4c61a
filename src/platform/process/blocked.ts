import { readdirSync, readFileSync } from 'node:fs'

/** Where Linux lets a process sleep that opens a pipe which nobody writes to. */
const OPENING = 'wait_for_partner'

/** Whether a thread of the process waits until somebody writes to a pipe. false also where this kernel does not tell. */
export function opensPipe(pid: number): boolean {
  try {
    return readdirSync(`/proc/${pid}/task`).some(
      (thread) => readFileSync(`/proc/${pid}/task/${thread}/wchan`, 'utf8') === OPENING,
    )
  } catch {
    return false
  }
}
