/**
 * Tests that cannot hold where processes are read through `ps`, without launcher and namespace: the one place that says why.
 * docs/reference/processes.md shows it. A test that stands here asks `isExcepted` and is skipped.
 */
export interface PsException {
  /** The file, below `test/`, and the title of the test. */
  readonly file: string
  readonly test: string
  readonly why: string
}

export const PS_EXCEPTIONS: readonly PsException[] = [
  {
    file: 'platform/process/escaped.test.ts',
    test: 'a marker behind a space in a value is no marker',
    why: '`ps` puts a space between variables, so a value with a space in it cannot be told from the next variable',
  },
  {
    file: 'e2e/supervisor-faults/escaped.test.ts',
    test: '`fleet kill` ends a process after a double fork without its environment',
    why: 'a double fork with an empty environment between two looks leaves no trace without a subreaper',
  },
  {
    file: 'e2e/supervisor-faults/escaped.test.ts',
    test: 'a run that ends by itself leaves nothing, whatever it started, and its task is closed after that',
    why: 'a run may begin and end between two looks, and what it started without its environment leaves no trace',
  },
  {
    file: 'e2e/supervisor-faults/escaped.test.ts',
    test: 'a crowd of processes without environment that keep being replaced is ended',
    why: 'each of them lives for less time than there is between two looks, and leaves a child without parent and marker',
  },
  {
    file: 'e2e/supervisor-faults/dead-man.test.ts',
    test: 'finds what an agent started in other sessions, without the environment of its run',
    why: 'a double fork with an empty environment between two looks leaves no trace without a subreaper',
  },
  {
    file: 'e2e/supervisor-faults/dead-man.test.ts',
    test: 'keeps a run from starting that the launcher was ordered to start',
    why: 'there is no launcher',
  },
  {
    file: 'e2e/supervisor-faults/launcher.test.ts',
    test: 'after the launcher is killed, running agents are followed to their end and new ones still start',
    why: 'there is no launcher',
  },
  {
    file: 'e2e/supervisor-faults/launcher.test.ts',
    test: 'if the launcher dies while many agents start, every task runs, none twice',
    why: 'there is no launcher',
  },
  {
    file: 'e2e/supervisor-faults/launcher.test.ts',
    test: 'the launcher ends with its supervisor, even if that is killed',
    why: 'there is no launcher',
  },
  {
    file: 'e2e/supervisor-faults/unseen-end.test.ts',
    test: 'a script that ends after $when is judged by its exit, even if it left a process $where',
    why: 'there is no launcher: the cases in which it is killed are left out',
  },
  {
    file: 'e2e/supervisor/kill.test.ts',
    test: '`fleet kill` also ends processes that respawn, keep changing their pid, or are stopped',
    why: '`ps` does not see a process that lives for less time than it takes to look: the processes that keep changing their pid are left out',
  },
  {
    file: 'e2e/supervisor/other-coders.test.ts',
    test: 'a silent opencode is stalled only if it runs no command and uses no CPU (namespaces: %s)',
    why: '`ps` on Linux counts processor time in whole seconds, too coarse for a timeout of three; on macOS it counts hundredths',
  },
]

/** Whether this run of the tests reads processes through `ps`. */
export const throughPs: boolean = process.env['FLEET_PROCESS_TABLE'] === 'ps'

export function isExcepted(test: string): boolean {
  const known = PS_EXCEPTIONS.some((each) => each.test === test)
  if (!known) throw new Error(`test/support/ps-exceptions.ts has no row for: ${test}`)
  return throughPs
}
