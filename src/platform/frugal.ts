import { setFlagsFromString } from 'node:v8'

/**
 * For a process that lives long, does little at a time and shares its processors with those it looks after.
 *
 * The young generation of the heap stays at its first size: V8 would let it grow to tens of megabytes, and where the
 * supervisor forks itself, every fork copies the tables of all of them and has them faulted in again. And, in Node 20, only
 * what runs very often is optimised: compiling the rest cost more than it saved, a sixth of all the supervisor used while it worked
 * off a queue of two thousand scripts. A flood of output still reaches that bound within milliseconds.
 */
export function beFrugal(): void {
  setFlagsFromString('--semi-space-growth-factor=1')
  // Later versions of V8 do not know it, and say so on stderr; they compile what is warm in a cheaper way.
  if (Number.parseInt(process.versions.v8, 10) < 12) setFlagsFromString('--interrupt-budget=1000000')
}
