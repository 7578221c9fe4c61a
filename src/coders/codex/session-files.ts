import { join } from 'node:path'
import type { SidecarPlace, SidecarRun } from '../../ports/coder.ts'

type Variables = SidecarRun['env']

/** Where codex keeps its login and its sessions. */
export function codexHome(given: Variables): string | undefined {
  const home = given['HOME'] ?? ''
  return given['CODEX_HOME'] || (home === '' ? undefined : join(home, '.codex'))
}

const DAY = 24 * 60 * 60_000

/**
 * `sessions/<year>/<month>/<day>/rollout-<local time>-<thread>.jsonl`, by the local day on which the thread began: in UTC it
 * may be the day before or after. A resumed thread continues in its old file.
 */
export function rolloutPlace({ session, startedAt, env }: SidecarRun): SidecarPlace | undefined {
  const home = codexHome(env)
  if (home === undefined) return undefined
  const began = beginOf(session) ?? startedAt
  const folders = [0, DAY, -DAY].map((off) => join(home, 'sessions', ...dayOf(began + off)))
  return { folders, nameEnd: `-${session}.jsonl` }
}

/** A thread's id is a UUID of version 7, which begins with its time in milliseconds. */
function beginOf(session: string): number | undefined {
  const [, high, low] = /^([\da-f]{8})-([\da-f]{4})-7[\da-f]{3}-/i.exec(session) ?? []
  const began = Number.parseInt(`${high}${low}`, 16)
  return Number.isNaN(began) ? undefined : began
}

function dayOf(at: number): readonly string[] {
  const [date = ''] = new Date(at).toISOString().split('T')
  return date.split('-')
}
