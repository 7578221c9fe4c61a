import { openLedger } from '../../src/app.ts'
import type { Outcome } from '../../src/domain/run/outcome.ts'
import { type Figures, freshState, NO_FIGURES, type Run, type TaskState } from '../../src/domain/run/run.ts'
import type { NextStep } from '../../src/domain/task/next-step.ts'
import { Home } from '../../src/platform/files/home.ts'
import type { Ledger, NewRun } from '../../src/ports/ledger.ts'
import type { TestHome } from './cli.ts'

/** Lets the test write to the ledger in place of a supervisor. */
export function inLedger<T>(home: Pick<TestHome, 'path'>, work: (ledger: Ledger) => T): T {
  using ledger = openLedger(new Home(home.path))
  return work(ledger)
}

export function started(
  home: Pick<TestHome, 'path' | 'project'>,
  task: string,
  more: Partial<NewRun> & { figures?: Partial<Figures> } = {},
): Run {
  const { figures, ...run } = more
  return inLedger(home, (ledger) => {
    const { id } = ledger.begin({
      id: `run-${crypto.randomUUID()}`,
      task,
      claimedBy: 'supervisor',
      token: 1,
      coder: 'claude',
      model: 'sonnet',
      lane: 'claude',
      cwd: home.project,
      title: 'A title',
      startedAt: Date.now(),
      resumes: null,
      ...run,
    })
    ledger.launched(id, { pid: 4711, startTime: '1', bootId: 'b' }, { namespace: false })
    ledger.progress(id, { ...NO_FIGURES, ...figures })
    return ledger.run(id) as Run
  })
}

/** Ends the run in the ledger only; the task in the queue stays as it is. */
export function ended(
  home: TestHome,
  run: Run,
  outcome: Outcome,
  more: Partial<TaskState> & { next?: NextStep } = {},
): void {
  const { next, ...state } = more
  inLedger(home, (ledger) => {
    const figures = ledger.run(run.id)?.figures ?? NO_FIGURES
    ledger.ended(run.id, {
      at: run.startedAt + 65_000,
      outcome,
      figures,
      state: { ...freshState(run.task), attempts: run.attempt, lastOutcome: outcome, ...state },
      next,
    })
    ledger.settled(run.id)
  })
}
