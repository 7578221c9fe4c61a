import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** They take a minute and more; a file that is begun last is waited for alone. */
const LONG = [
  'test/contract/beads.test.ts',
  'test/e2e/many-machines-travel.test.ts',
  'test/e2e/supervisor-faults/cut-off.test.ts',
  'test/differential/processes.test.ts',
  'test/docs/docs.test.ts',
  'test/e2e/interrupted.test.ts',
  'test/e2e/hosts.test.ts',
]

/** As usual, but for those. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const at = LONG.findIndex((name) => moduleId.endsWith(name))
      return at < 0 ? LONG.length : at
    }
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b))
  }
}
