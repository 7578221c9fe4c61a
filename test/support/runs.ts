import { NO_FIGURES, type Run } from '../../src/domain/run/run.ts'

/** A run as in the ledger, for tests of its output. */
export function runOf(more: Partial<Run> = {}): Run {
  return {
    id: 'run-1',
    task: 'fleet-a1b',
    attempt: 1,
    claimedBy: 'supervisor',
    token: 1,
    coder: 'claude',
    model: 'sonnet',
    lane: 'claude',
    cwd: '/project',
    project: '/project',
    title: 'Fix the cart',
    phase: 'running',
    startedAt: Date.parse('2026-11-15T14:00:00Z'),
    endedAt: null,
    proc: { pid: 4711, startTime: '1', bootId: 'b' },
    namespace: false,
    resumes: null,
    outcome: null,
    next: null,
    figures: NO_FIGURES,
    ...more,
  }
}
