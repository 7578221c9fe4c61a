import { setFlagsFromString } from 'node:v8'

/**
 * For a process that lives long and shares its processors with those it looks after: the young generation of the heap
 * stays at its first size. V8 would let it grow to tens of megabytes, and where the supervisor forks itself, every fork
 * copies the tables of all of them and has them faulted in again.
 */
export function beFrugal(): void {
  setFlagsFromString('--semi-space-growth-factor=1')
}
