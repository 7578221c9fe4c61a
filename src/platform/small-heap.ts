import { setFlagsFromString } from 'node:v8'

/**
 * Keeps the young generation of the heap at its first size, for a process that lives long and forks often: V8 would let
 * it grow to tens of megabytes, and every fork copies the tables of all of them and has them faulted in again.
 */
export function keepHeapSmall(): void {
  setFlagsFromString('--semi-space-growth-factor=1')
}
