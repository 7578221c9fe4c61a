/** One finding. `todo` says what to do about it, if anything. */
export interface Check {
  readonly name: string
  /** info: worth knowing, neither good nor bad. */
  readonly state: 'ok' | 'info' | 'warn' | 'fail'
  readonly found: string
  readonly todo?: string
}

/** A probe that throws is itself a finding: doctor never throws. */
export async function probe(
  name: string,
  look: () => Check | readonly Check[] | Promise<Check | readonly Check[]>,
): Promise<readonly Check[]> {
  try {
    const checks = await look()
    return 'state' in checks ? [checks] : checks
  } catch (error) {
    return [{ name, state: 'fail', found: error instanceof Error ? error.message : String(error) }]
  }
}
