/**
 * Failing to print must not stop the supervisor: the disk may be full, or the terminal closed. `failed` is called for the
 * first of several failures in a row.
 */
export function bestEffort<Told extends readonly unknown[]>(
  print: (...told: Told) => void,
  failed: (why: string) => void,
): (...told: Told) => void {
  let failing = false
  return (...told) => {
    try {
      print(...told)
      failing = false
    } catch (error) {
      if (!failing) failed(String(error))
      failing = true
    }
  }
}
