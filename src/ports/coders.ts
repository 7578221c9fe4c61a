import type { Coder, CoderTraits } from './coder.ts'

/** The coders of a home, as its files and runtime.toml describe them now. */
export interface Coders {
  find(name: string): Promise<Coder | UnusableCoder>
  /** Stands in for a coder whose agent is still running after its description was removed or broken. */
  forgotten(name: string, known: Partial<Pick<CoderTraits, 'claim' | 'evidence'>>): Coder
  /** The version that `<binary> --version` prints; undefined: it prints none. */
  versionOf(binary: string): Promise<string | undefined>
  /** Processor milliseconds that one start of this coder takes. */
  startCost(name: string): number
}

/** A coder that cannot run as it is described, and why. */
export interface UnusableCoder {
  readonly problem: string
}
