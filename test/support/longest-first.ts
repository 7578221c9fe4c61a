import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** The files that take longest. Started last, one of them would run alone at the end. */
const LONG = [
  'test/differential/bd-prints.test.ts',
  'test/evidence/kinds.test.ts',
  'test/contract/beads.test.ts',
  'test/e2e/supervisor-faults/dead-man.test.ts',
  'test/e2e/beads/python-fleet.test.ts',
  'test/e2e/many-machines-travel.test.ts',
  'test/e2e/supervisor-faults/cut-off.test.ts',
  'test/e2e/beads/people.test.ts',
  'test/e2e/migrate/directions.test.ts',
  'test/e2e/landing/faults.test.ts',
  'test/e2e/landing/landing.test.ts',
  'test/e2e/landing/killed.test.ts',
  'test/e2e/landing/storm.test.ts',
  'test/e2e/supervisor/worktree-primary.test.ts',
  'test/e2e/supervisor/worktree-setup.test.ts',
  'test/e2e/supervisor/worktree-kills.test.ts',
  'test/e2e/verify/faults.test.ts',
  'test/e2e/hostile.test.ts',
  'test/queues/sqlite/readiness.test.ts',
  'test/attacks/slots-commands.test.ts',
  'test/attacks/deadman.test.ts',
  'test/attacks/slots-all.test.ts',
  'test/e2e/task-news.test.ts',
  'test/e2e/bd-inside-run.test.ts',
  'test/e2e/interrupted.test.ts',
  'test/differential/differential.test.ts',
  'test/docs/docs.test.ts',
  'test/e2e/hosts.test.ts',
  'test/attacks/evidence.test.ts',
  'test/attacks/home.test.ts',
  'test/e2e/supervisor-faults/absences.test.ts',
  'test/attacks/fence.test.ts',
  'test/e2e/migrate/refusals.test.ts',
  'test/e2e/beads/forward.test.ts',
  'test/e2e/supervisor/timers.test.ts',
  'test/queues/beads/faults.test.ts',
  'test/e2e/supervisor/other-coders.test.ts',
  'test/differential/processes.test.ts',
  'test/e2e/supervisor-faults/surroundings.test.ts',
  'test/e2e/bd-user-script.test.ts',
  'test/e2e/supervisor-faults/adoption.test.ts',
  'test/e2e/supervisor-faults/stopping.test.ts',
  'test/e2e/home-odd-files.test.ts',
  'test/e2e/supervisor/evidence.test.ts',
  'test/contract/postgres.test.ts',
  'test/e2e/supervisor-faults/store-lost.test.ts',
  'test/differential/interchange.test.ts',
  'test/queues/postgres/agrees.test.ts',
  'test/e2e/supervisor/own-coders.test.ts',
  'test/e2e/supervisor-faults/output.test.ts',
  'test/e2e/beads/run.test.ts',
  'test/e2e/supervisor/kill.test.ts',
  'test/e2e/supervisor/questions.test.ts',
  'test/e2e/demo.test.ts',
  'test/e2e/doctor-agents.test.ts',
  'test/e2e/supervisor-faults/escaped.test.ts',
  'test/e2e/supervisor-faults/left-behind.test.ts',
]

/** Starts those files first; the others keep vitest's order. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const at = LONG.findIndex((name) => moduleId.endsWith(name))
      return at < 0 ? LONG.length : at
    }
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b))
  }
}
