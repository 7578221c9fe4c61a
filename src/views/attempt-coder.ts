import { openLedger } from '../app.ts'
import { loadConfig } from '../config/load.ts'
import type { Run } from '../domain/run/run.ts'
import type { Home } from '../platform/files/home.ts'
import type { Coder } from '../ports/coder.ts'
import { homeCoders } from '../store/home-coders.ts'

/** An attempt and the coder that can read its output. */
export interface AttemptCoder {
  readonly run: Run
  readonly coder: Coder
}

/**
 * The coder that made an attempt, as the configuration describes it now. The output of one that the configuration no longer
 * names is text. undefined: the attempt was not made on this machine.
 */
export async function coderOfAttempt(
  home: Home,
  { task, attempt, env }: { task: string; attempt: number; env: NodeJS.ProcessEnv },
): Promise<AttemptCoder | undefined> {
  const run = runOf(home, task, attempt)
  if (run === undefined) return undefined
  const { config } = await loadConfig(home.config)
  const coders = homeCoders(home, { config: () => config, env })
  const found = await coders.find(run.coder)
  return { run, coder: 'problem' in found ? coders.forgotten(run.coder, {}) : found }
}

function runOf(home: Home, task: string, attempt: number): Run | undefined {
  using ledger = openLedger(home, { readOnly: true })
  return ledger.runsOf(task).find((run) => run.attempt === attempt)
}
