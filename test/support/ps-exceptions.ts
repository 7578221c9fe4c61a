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
]

/** Whether this run of the tests reads processes through `ps`. */
export const throughPs: boolean = process.env['FLEET_PROCESS_TABLE'] === 'ps'

export function isExcepted(test: string): boolean {
  const known = PS_EXCEPTIONS.some((each) => each.test === test)
  if (!known) throw new Error(`test/support/ps-exceptions.ts has no row for: ${test}`)
  return throughPs
}
